// A compressed source: it is refused, or its bytes are the same whatever pieces they are taken in.
#include <algorithm>

#include "data/byte_stream.h"
#include "fuzz_target.h"
#include "tests/data/packed.h"

namespace lastro {
namespace {

constexpr std::size_t enough_bytes = 1 << 20;   // a few bytes may stand for very many

enum class Ending { whole, refused, left_off };
struct Unpacked {
  Ending ending;
  std::string text;
};

Unpacked unpacked(std::string_view packed, std::size_t piece_bytes) {
  auto in = std::as_bytes(std::span(packed));
  const auto decompressor = decompressor_for(in, "fuzzed");
  std::vector<std::byte> piece(piece_bytes);
  std::string text;
  while (text.size() < enough_bytes) {
    try {
      const auto [consumed, produced] = decompressor->decode(in.first(std::min(in.size(), piece_bytes)), piece);
      require(consumed <= in.size() && produced <= piece.size());
      in = in.subspan(consumed);
      text.append(reinterpret_cast<const char*>(piece.data()), produced);
      if (!in.empty() || produced == piece.size()) continue;
    } catch (const ContractError&) {
      return {Ending::refused, ""};
    }
    return decompressor->may_end_here() ? Unpacked{Ending::whole, text} : Unpacked{Ending::refused, ""};
  }
  return {Ending::left_off, ""};
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  const Unpacked slowly = unpacked(bytes, 11), at_once = unpacked(bytes, 64 * 1024);
  if (slowly.ending == Ending::left_off || at_once.ending == Ending::left_off) return;
  require(slowly.ending == at_once.ending && slowly.text == at_once.text);
}

std::vector<std::string> good_inputs() {
  const std::string text = "one two three " + std::string(300, '-') + " four";
  return {test::gzip(text) + test::gzip("five") + std::string(3, '\0'), test::zstd(text) + test::zstd("five"), text};
}

}   // namespace lastro
