#include "data/text_size.h"

#include <algorithm>
#include <vector>

#include "data/byte_stream.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::size_t head_bytes = 256 * 1024;
constexpr std::size_t most_text_bytes = 16 * 1024 * 1024;   // packed data can hold a thousand times its size

// How much of the head was unpacked, into how much.
Decompressor::Progress unpacked(std::span<const std::byte> head, Decompressor& decompressor) {
  std::vector<std::byte> text(head_bytes);
  Decompressor::Progress sum{0, 0};
  while (sum.produced < most_text_bytes) {
    const Decompressor::Progress progress = decompressor.decode(head.subspan(sum.consumed), text);
    if (progress.consumed == 0 && progress.produced == 0) break;
    sum = {sum.consumed + progress.consumed, sum.produced + progress.produced};
  }
  return sum;
}

}   // namespace

std::uint64_t text_bytes_of(const std::filesystem::path& file) {
  const ReadFile packed(file);
  const std::uint64_t bytes = packed.size();
  std::vector<std::byte> chunk(std::min<std::uint64_t>(bytes, head_bytes));
  const auto head = std::span<const std::byte>(chunk).first(packed.read_some(0, chunk));
  try {
    const auto [consumed, produced] = unpacked(head, *decompressor_for(head, file));
    if (consumed == 0) return bytes;
    return static_cast<std::uint64_t>(static_cast<double>(produced) * (static_cast<double>(bytes) / static_cast<double>(consumed)));
  } catch (const ContractError&) {
    return bytes;
  }
}

void expect_named_truly(const std::filesystem::path& file) {
  std::byte head[16];
  decompressor_for(std::span(head, ReadFile(file).read_some(0, head)), file);
}

}   // namespace lastro
