#pragma once

#include "element/exp_log.h"

namespace lastro::kernels {

template <class V>
KERNEL_FN V sigmoid(V x) {
  const V one = constant<V>(1.0f);
  return one / (one + exp_of(-x));
}

template <class V>
KERNEL_FN V swiglu(V gate, V up) {
  return (gate * sigmoid(gate)) * up;
}

template <class V>
struct SwigluGradient {
  V gate, up;
};
// silu'(g) = s (1 + g (1 - s)) with s = sigmoid(g).
template <class V>
KERNEL_FN SwigluGradient<V> swiglu_gradient(V gate, V up, V dh) {
  const V one = constant<V>(1.0f);
  const V s = sigmoid(gate);
  return {(dh * up) * (s * fma(gate, one - s, one)), dh * (gate * s)};
}

}   // namespace lastro::kernels
