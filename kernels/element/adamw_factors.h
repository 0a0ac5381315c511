#pragma once

namespace lastro::kernels {

// The settings of one step as the element function wants them; see kernels/optimizer.h.
struct AdamwFactors {
  float gradient;       // on the gradient
  float beta1, rest1;   // rest = 1 - beta
  float beta2, rest2;
  float second_moment_root;   // 1 / sqrt(1 - beta2^step)
  float epsilon;
  float step_size;   // lr / (1 - beta1^step)
  float keep;        // 1 - lr * decay
};

}   // namespace lastro::kernels
