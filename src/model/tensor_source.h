#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lastro {

// Tensors by name, in some file format: safetensors, a PyTorch state_dict.
class TensorSource {
 public:
  struct Entry {
    std::string name;
    std::vector<std::int64_t> shape;
    std::string dtype;   // as the format names it
    std::int64_t elements() const {
      std::int64_t count = 1;
      for (const std::int64_t extent : shape) count *= extent;
      return count;
    }
  };

  virtual ~TensorSource() = default;
  virtual const std::vector<Entry>& entries() const = 0;   // sorted by name
  // Reads a whole tensor, converted to fp32 (exact from bf16 and fp16, rounded from fp64). values.size() == entry.elements().
  // Throws ContractError when the format's type cannot be a weight.
  virtual void read(const Entry& entry, std::span<float> values) = 0;

  const Entry* find(std::string_view name) const {
    for (const auto& entry : entries())
      if (entry.name == name) return &entry;
    return nullptr;
  }
};

}   // namespace lastro
