#include "text/byte_level.h"

#include "text/utf8.h"

namespace lastro {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

constexpr char32_t first_stand_in = 0x100;

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

}   // namespace lastro
