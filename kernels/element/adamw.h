#pragma once

#include "element/adamw_factors.h"
#include "element/arithmetic.h"

namespace lastro::kernels {

template <class V>
struct AdamwElement {
  V parameter, m, v;
};
template <class V>
KERNEL_FN AdamwElement<V> adamw_element(AdamwElement<V> old, V gradient, const AdamwFactors& by) {
  const V g = gradient * (V{} + by.gradient);
  const V m = fma(V{} + by.beta1, old.m, g * (V{} + by.rest1));
  const V v = fma(V{} + by.beta2, old.v, (g * g) * (V{} + by.rest2));
  const V update = m / fma(square_root(v), V{} + by.second_moment_root, V{} + by.epsilon);
  return {fma(V{} - by.step_size, update, old.parameter * (V{} + by.keep)), m, v};
}

}   // namespace lastro::kernels
