#pragma once

#include <string>
#include <string_view>

#include "domain/node.h"

namespace lastro {

// What a word without quotes means by YAML 1.2's core schema: null, a bool, a number or, if none of these, a text. Unlike there, a whole number
// has no leading zeros and has to fit 64 bits: `refusal` then says why not, and the value is false, which hardly any field takes for its own.
struct PlainScalar {
  Node value;
  std::string refusal;
};
PlainScalar resolve_plain(std::string_view word);

}   // namespace lastro
