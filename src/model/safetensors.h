#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "model/tensor_source.h"

// safetensors:  u64 little-endian N | N bytes of JSON, padded with spaces to a multiple of 8 | tensor data without holes
// JSON: {"__metadata__": {"format": "pt"}, "<name>": {"dtype": "F32", "shape": [..], "data_offsets": [begin, end]}, ...}
namespace lastro {

// Writes fp32 tensors one after the other, in an order given beforehand; nothing is held in memory.
class SafetensorsWriter {
 public:
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
  };
  // Creates the file and writes its header. Throws EnvironmentError when that fails.
  SafetensorsWriter(const std::filesystem::path& file, const std::vector<Tensor>& tensors);
  // The next numbers of the data, tensor after tensor.
  void write(std::span<const float> values);
  // After the last tensor: flushes. Throws InternalError when numbers are missing, EnvironmentError when the disk refused.
  void finish();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::int64_t missing_ = 0;   // elements not written yet
};

// Reads a file, or a directory's model.safetensors, or its shards through model.safetensors.index.json.
// Throws ContractError on anything the format forbids (holes, overlaps, ends outside the file, unknown types where a weight is read).
class SafetensorsSource final : public TensorSource {
 public:
  explicit SafetensorsSource(const std::filesystem::path& file_or_folder);
  const std::vector<Entry>& entries() const override { return entries_; }
  void read(const Entry& entry, std::span<float> values) override;

 private:
  struct Place {
    std::filesystem::path file;
    std::uint64_t offset;   // from the file's begin
  };
  void add_file(const std::filesystem::path& file);
  void sort_by_name();
  std::vector<Entry> entries_;
  std::vector<Place> places_;   // of entries_
};

}   // namespace lastro
