#include "text/byte_level.h"

#include "text/utf8.h"

namespace lastro {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

constexpr char32_t first_stand_in = 0x100;
constexpr char32_t beyond_stand_ins = first_stand_in + 68;

constexpr std::array<std::uint8_t, 256> order = [] {
  std::array<std::uint8_t, 256> bytes{};
  int count = 0;
  for (int byte = 0; byte < 256; ++byte)
    if (stands_for_itself(byte)) bytes[count++] = byte;
  for (int byte = 0; byte < 256; ++byte)
    if (!stands_for_itself(byte)) bytes[count++] = byte;
  return bytes;
}();

constexpr std::array<char32_t, 256> characters = [] {
  std::array<char32_t, 256> points{};
  for (int place = 0; place < 256; ++place) points[order[place]] = place < 188 ? order[place] : first_stand_in + place - 188;
  return points;
}();

}   // namespace

const std::array<std::uint8_t, 256>& bytes_in_order() { return order; }

std::string to_byte_level(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) append_utf8(characters[static_cast<unsigned char>(byte)], text);
  return text;
}

std::optional<std::string> from_byte_level(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char next = utf8_at(text, at);
    if (!next.valid) return std::nullopt;
    if (next.point >= first_stand_in && next.point < beyond_stand_ins)
      bytes += static_cast<char>(order[188 + next.point - first_stand_in]);
    else if (next.point < 0x100 && stands_for_itself(static_cast<int>(next.point)))
      bytes += static_cast<char>(next.point);
    else
      return std::nullopt;
    at += next.bytes;
  }
  return bytes;
}

}   // namespace lastro
