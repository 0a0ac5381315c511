#include "model/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/durable_file.h"
#include "core/files.h"
#include "core/json.h"
#include "domain/errors.h"

namespace lastro {

namespace {

constexpr std::uint64_t longest_header = 100'000'000;   // as the reference reader

std::int64_t elements_of(const std::vector<std::int64_t>& shape) { return TensorSource::Entry{"", shape, ""}.elements(); }

Node extents_node(const std::vector<std::int64_t>& shape) {
  Node extents = Node::sequence();
  for (const std::int64_t extent : shape) extents.push(extent);
  return extents;
}

std::string header_of(const std::vector<SafetensorsWriter::Tensor>& tensors) {
  Node header = Node::mapping();
  Node metadata = Node::mapping();
  metadata.set("format", "pt");   // transformers 4 refuses files without it
  header.set("__metadata__", metadata);
  std::int64_t begin = 0;
  for (const auto& tensor : tensors) {
    const std::int64_t end = begin + 4 * elements_of(tensor.shape);
    Node entry = Node::mapping();
    entry.set("dtype", "F32");
    entry.set("shape", extents_node(tensor.shape));
    entry.set("data_offsets", extents_node({begin, end}));
    header.set(tensor.name, entry);
    begin = end;
  }
  std::string text = to_json(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

std::array<char, 8> little_endian(std::uint64_t value) {
  std::array<char, 8> bytes{};
  for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
  return bytes;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw ContractError(file.string() + ": " + what + " (this is not a whole safetensors file) fetch or export it again");
}

std::string read_header(const std::filesystem::path& file, const InputFile& in) {
  const auto file_bytes = static_cast<std::uint64_t>(in.bytes());
  std::array<unsigned char, 8> bytes{};
  if (file_bytes < 8) refuse(file, "it has fewer than 8 bytes");
  in.read_at(0, std::as_writable_bytes(std::span(bytes)));
  std::uint64_t length = 0;
  for (int i = 0; i < 8; ++i) length |= std::uint64_t{bytes[static_cast<std::size_t>(i)]} << (8 * i);
  if (length > longest_header || length > file_bytes - 8) refuse(file, "its header is " + std::to_string(length) + " bytes long");
  std::string text(length, '\0');
  in.read_at(8, std::as_writable_bytes(std::span(text)));
  return text;
}

// -1 for a type that this reader does not convert; such tensors may be listed but not read.
std::int64_t bytes_per_number(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64" || dtype == "C64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL" || dtype.starts_with("F8_")) return 1;
  return -1;
}

struct Extent {
  TensorSource::Entry entry;
  std::uint64_t begin, end;   // in the data
};

std::int64_t natural(const std::filesystem::path& file, const Node& value, const std::string& name) {
  const auto* number = value.as<std::int64_t>();
  if (!number || *number < 0) refuse(file, "tensor " + name + " has an extent or offset that is no natural number");
  return *number;
}

Extent extent_of(const std::filesystem::path& file, const std::string& name, const Node& value) {
  const Node *dtype = value.find("dtype"), *shape = value.find("shape"), *offsets = value.find("data_offsets");
  if (!dtype || !dtype->as<std::string>() || !shape || !shape->is_sequence() || !offsets || offsets->items().size() != 2)
    refuse(file, "tensor " + name + " lacks dtype, shape or data_offsets");
  Extent extent;
  extent.entry = {name, {}, dtype->text()};
  std::int64_t elements = 1;
  for (const Node& item : shape->items()) {
    extent.entry.shape.push_back(natural(file, item, name));
    if (__builtin_mul_overflow(elements, extent.entry.shape.back(), &elements)) refuse(file, "tensor " + name + " has a shape too large");
  }
  extent.begin = static_cast<std::uint64_t>(natural(file, offsets->items()[0], name));
  extent.end = static_cast<std::uint64_t>(natural(file, offsets->items()[1], name));
  const std::int64_t per_number = bytes_per_number(extent.entry.dtype);
  std::int64_t bytes = 0;
  if (extent.end < extent.begin || __builtin_mul_overflow(elements, per_number, &bytes) ||
      (per_number > 0 && extent.end - extent.begin != static_cast<std::uint64_t>(bytes)))
    refuse(file, "tensor " + name + " has offsets that do not fit its shape");
  return extent;
}

// Data is a sequence of tensors without holes or overlaps that ends with the file.
void check_covers(const std::filesystem::path& file, std::vector<Extent>& extents, std::uint64_t data_bytes) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t at = 0;
  for (const auto& extent : extents) {
    if (extent.begin != at)
      refuse(file, "tensor " + extent.entry.name + " begins at " + std::to_string(extent.begin) + " and not at " + std::to_string(at));
    at = extent.end;
  }
  if (at != data_bytes) refuse(file, "its tensors take " + std::to_string(at) + " bytes and there are " + std::to_string(data_bytes));
}

float from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, mantissa = bits & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float small = static_cast<float>(mantissa) * 0x1p-24f;   // a subnormal half is a normal float
  return sign ? -small : small;
}

template <class Number, class Convert>
void convert(const std::vector<char>& bytes, std::span<float> values, Convert to_float) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    values[i] = to_float(number);
  }
}

}   // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& file, const std::vector<Tensor>& tensors)
    : path_(file), out_(file, std::ios::binary | std::ios::trunc) {
  const std::string header = header_of(tensors);
  const auto length = little_endian(header.size());
  out_.write(length.data(), static_cast<std::streamsize>(length.size()));
  out_.write(header.data(), static_cast<std::streamsize>(header.size()));
  if (!out_) throw EnvironmentError(file.string() + " cannot be written (is the folder there, and the disk not full?) choose another folder");
  for (const auto& tensor : tensors) missing_ += elements_of(tensor.shape);
}

void SafetensorsWriter::write(std::span<const float> values) {
  missing_ -= static_cast<std::int64_t>(values.size());
  out_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

void SafetensorsWriter::finish() {
  if (missing_ != 0) throw InternalError(path_.string() + ": " + std::to_string(missing_) + " numbers of the tensors announced are missing");
  out_.close();
  if (!out_) throw EnvironmentError(path_.string() + " could not be written whole (the disk may be full) make room and export again");
}

SafetensorsSource::SafetensorsSource(const std::filesystem::path& file_or_folder) {
  const auto index = file_or_folder / "model.safetensors.index.json";
  if (!std::filesystem::is_directory(file_or_folder)) {
    add_file(file_or_folder);
  } else if (!std::filesystem::exists(index)) {
    add_file(file_or_folder / "model.safetensors");
  } else {
    const Node tree = parse_json(read_file(index), index.string());
    const Node* weight_map = tree.find("weight_map");
    if (!weight_map) throw ContractError(index.string() + ": there is no weight_map (it names each tensor's file) fetch it again");
    std::vector<std::string> files;
    for (const auto& entry : weight_map->entries()) {
      const auto* file = entry.value.as<std::string>();
      if (!file || std::filesystem::path(*file).filename() != *file)
        throw ContractError(index.string() + ": " + entry.key + " is in no file of this folder (only plain names are followed)");
      files.push_back(*file);
    }
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    for (const auto& file : files) add_file(file_or_folder / file);
  }
  sort_by_name();
}

void SafetensorsSource::add_file(const std::filesystem::path& file) {
  const InputFile in(file);
  const std::string text = read_header(file, in);
  const std::uint64_t data = 8 + text.size();
  std::vector<Extent> extents;
  const Node header = parse_json(text, file.string());
  for (const auto& [name, value, mark] : header.entries())
    if (name != "__metadata__") extents.push_back(extent_of(file, name, value));
  check_covers(file, extents, static_cast<std::uint64_t>(in.bytes()) - data);
  for (auto& extent : extents) {
    entries_.push_back(std::move(extent.entry));
    places_.push_back({file, data + extent.begin});
  }
}

void SafetensorsSource::sort_by_name() {
  std::vector<std::pair<Entry, Place>> both;
  for (std::size_t i = 0; i < entries_.size(); ++i) both.emplace_back(std::move(entries_[i]), std::move(places_[i]));
  std::sort(both.begin(), both.end(), [](const auto& a, const auto& b) { return a.first.name < b.first.name; });
  for (std::size_t i = 0; i < both.size(); ++i) {
    if (i > 0 && both[i].first.name == both[i - 1].first.name)
      throw ContractError("tensor " + both[i].first.name + " is in " + both[i - 1].second.file.string() + " and in " + both[i].second.file.string());
    entries_[i] = both[i].first;
    places_[i] = both[i].second;
  }
}

void SafetensorsSource::read(const Entry& entry, std::span<float> values) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == entry.name; });
  if (found == entries_.end() || found->elements() != static_cast<std::int64_t>(values.size()))
    throw InternalError("tensor " + entry.name + " is not of this source, or of another size");
  const Place& place = places_[static_cast<std::size_t>(found - entries_.begin())];
  const bool is_weight = found->dtype == "F32" || found->dtype == "BF16" || found->dtype == "F16" || found->dtype == "F64";
  if (!is_weight)
    throw ContractError("tensor " + entry.name + " has type " + found->dtype + " (weights are F32, BF16, F16 or F64) dequantise the model first");

  std::vector<char> bytes(values.size() * static_cast<std::size_t>(bytes_per_number(found->dtype)));
  InputFile(place.file).read_at(static_cast<std::int64_t>(place.offset), std::as_writable_bytes(std::span(bytes)));
  if (found->dtype == "F32") convert<float>(bytes, values, [](float x) { return x; });
  if (found->dtype == "F64") convert<double>(bytes, values, [](double x) { return static_cast<float>(x); });
  if (found->dtype == "F16") convert<std::uint16_t>(bytes, values, from_half);
  if (found->dtype == "BF16") convert<std::uint16_t>(bytes, values, [](std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); });
}

}   // namespace lastro
