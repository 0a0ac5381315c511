#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lastro {

// A SHA-256 value. Written as "sha256:" and 64 lower-case hexadecimal digits; folders in the store use the digits alone.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  auto operator<=>(const Digest&) const = default;

  std::string hex() const;
  std::string to_string() const { return "sha256:" + hex(); }

  // Reads either form; empty when `text` is neither.
  static std::optional<Digest> parse(std::string_view text);
};

}   // namespace lastro
