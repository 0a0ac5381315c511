#pragma once

#include <cstdint>

#include "model/shape.h"

namespace lastro::test {

// 105 M parameters: 12 blocks of 768, 32 k tokens.
inline ModelShape hundred_million(std::int64_t context) {
  ModelShape shape;
  shape.vocabulary = 32000;
  shape.width = 768;
  shape.layers = 12;
  shape.heads = 12;
  shape.kv_heads = 4;
  shape.head_dim = 64;
  shape.ffn = 2048;
  shape.context = context;
  return shape;
}

}   // namespace lastro::test
