#pragma once

#include <string_view>

#include "core/utf8.h"

namespace lastro::test {

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_length(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}   // namespace lastro::test
