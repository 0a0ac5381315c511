#include "data/utf16.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "data/byte_stream.h"

namespace lastro {
namespace {

constexpr std::size_t head_bytes = 4096;

bool begins_with(std::span<const std::byte> head, unsigned first, unsigned second) {
  return head.size() >= 2 && head[0] == std::byte(first) && head[1] == std::byte(second);
}

// iconv's name, or empty. Without a mark: alphabets below U+0900 have a high byte under 9 in each pair, which no byte of a text in UTF-8 is.
std::string_view encoding_of(std::span<const std::byte> head) {
  if (begins_with(head, 0xff, 0xfe) || begins_with(head, 0xfe, 0xff)) return "UTF-16";
  const std::size_t pairs = head.size() / 2;
  std::array<std::size_t, 2> low{};   // bytes under 9 in even places, and in odd ones
  for (std::size_t i = 0; i < 2 * pairs; ++i)
    if (head[i] < std::byte{9}) ++low[i % 2];
  const auto is_high_half = [&](std::size_t place) { return pairs > 0 && 10 * low[place] >= 9 * pairs && 4 * low[1 - place] < pairs; };
  return is_high_half(1) ? "UTF-16LE" : is_high_half(0) ? "UTF-16BE" : "";
}

}   // namespace

std::string words_for_utf16(const Source& source) {
  std::array<std::byte, head_bytes> head;
  for (const SourceFile& file : source.files) {
    const std::size_t count = ByteStream(file).read(head);
    const std::string_view encoding = encoding_of(std::span(head).first(count));
    if (encoding.empty()) continue;
    const std::string path = file.path.string();
    return path + " is UTF-16 " +
           (encoding == "UTF-16" ? "(it begins with its byte-order mark)" : "without a byte-order mark (nearly every second byte is next to 0)") +
           ". Convert it, as with `iconv -f " + std::string(encoding) + " -t UTF-8 " + path + "`";
  }
  return "";
}

}   // namespace lastro
