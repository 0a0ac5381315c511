#include "rows_cpu.h"

#include "cpu/lanes.h"
#include "element/swiglu.h"

namespace lastro::kernels {
namespace {

void rmsnorm_forward(ConstMatrix x, const float* weight, float epsilon, Matrix y, float* inverse_rms) {
  count_piece();
  for (std::int64_t row = 0; row < x.rows; ++row) {
    const float* const from = x.data + row * x.stride;
    float* const to = y.data + row * y.stride;
    SixteenLanes squares;
    each_of_sixteen(
        x.columns, squares, [&](Floats sum, auto at) __attribute__((always_inline)) { return fma(at(from), at(from), sum); });
    const float inverse = 1.0f / square_root(squares.tree() / static_cast<float>(x.columns) + epsilon);
    inverse_rms[row] = inverse;
    each(
        x.columns, [&](auto at, auto put) __attribute__((always_inline)) { put(to, (at(from) * splat(inverse)) * at(weight)); });
  }
}

// With g = dy * weight and x^ = x * inverse: dx = inverse (g - x^ mean(g x^)).
void rmsnorm_backward_input(ConstMatrix x, const float* weight, const float* inverse_rms, ConstMatrix dy, ConstMatrix add, Matrix dx) {
  count_piece();
  for (std::int64_t row = 0; row < x.rows; ++row) {
    const float* const from = x.data + row * x.stride;
    const float* const gradient = dy.data + row * dy.stride;
    const float* const beside = add.data ? add.data + row * add.stride : nullptr;
    float* const to = dx.data + row * dx.stride;
    const Floats inverse = splat(inverse_rms[row]);
    SixteenLanes products;
    each_of_sixteen(
        x.columns,
        products, [&](Floats sum, auto at) __attribute__((always_inline)) { return fma(at(gradient) * at(weight), at(from) * inverse, sum); });
    const Floats mean = splat(products.tree() / static_cast<float>(x.columns));
    each(
        x.columns, [&](auto at, auto put) __attribute__((always_inline)) {
          const Floats through = inverse * fma(-(at(from) * inverse), mean, at(gradient) * at(weight));
          put(to, beside ? at(beside) + through : through);
        });
  }
}

void rmsnorm_backward_weight(ConstMatrix x, const float* inverse_rms, ConstMatrix dy, float* dweight) {
  count_piece();
  for (std::int64_t row = 0; row < x.rows; ++row) {
    const float* const from = x.data + row * x.stride;
    const float* const gradient = dy.data + row * dy.stride;
    const Floats inverse = splat(inverse_rms[row]);
    each(
        x.columns, [&](auto at, auto put) __attribute__((always_inline)) { put(dweight, fma(at(gradient), at(from) * inverse, at(dweight))); });
  }
}

void rope(const RopeRows& rows) {
  count_piece();
  for (std::int64_t row = 0; row < rows.x.rows; ++row) {
    const std::int64_t position = rows.first_position + (rows.first_row + row) % rows.tokens_per_sequence;
    const float* const cosines = rows.cosines + position * rows.half;
    const float* const sines = rows.sines + position * rows.half;
    for (std::int64_t head = 0; head < rows.heads; ++head) {
      float* const low = rows.x.data + row * rows.x.stride + head * 2 * rows.half;
      float* const high = low + rows.half;
      each(
          rows.half, [&](auto at, auto put) __attribute__((always_inline)) {
            const Floats a = at(low), b = at(high), c = at(cosines), s = at(sines) * splat(rows.sign);
            put(low, fma(a, c, -(b * s)));
            put(high, fma(b, c, a * s));
          });
    }
  }
}

void swiglu_forward(ConstMatrix gate, ConstMatrix up, Matrix h) {
  count_piece();
  for (std::int64_t row = 0; row < h.rows; ++row) {
    const float* const g = gate.data + row * gate.stride;
    const float* const u = up.data + row * up.stride;
    float* const to = h.data + row * h.stride;
    each(
        h.columns, [&](auto at, auto put) __attribute__((always_inline)) { put(to, swiglu(at(g), at(u))); });
  }
}

void swiglu_backward(ConstMatrix gate, ConstMatrix up, ConstMatrix dh, Matrix dgate, Matrix dup) {
  count_piece();
  for (std::int64_t row = 0; row < dh.rows; ++row) {
    const float* const g = gate.data + row * gate.stride;
    const float* const u = up.data + row * up.stride;
    const float* const from = dh.data + row * dh.stride;
    float* const to_gate = dgate.data + row * dgate.stride;
    float* const to_up = dup.data + row * dup.stride;
    each(
        dh.columns, [&](auto at, auto put) __attribute__((always_inline)) {
          const SwigluGradient<Floats> gradient = swiglu_gradient(at(g), at(u), at(from));
          put(to_gate, gradient.gate);
          put(to_up, gradient.up);
        });
  }
}

void add_rows(const std::int32_t* tokens, const std::int32_t* order, ConstMatrix dy, Matrix dtable) {
  count_piece();
  for (std::int64_t i = 0; i < dy.rows; ++i) {
    const float* const from = dy.data + order[i] * dy.stride;
    float* const to = dtable.data + tokens[order[i]] * dtable.stride;
    each(
        dy.columns, [&](auto at, auto put) __attribute__((always_inline)) { put(to, at(to) + at(from)); });
  }
}

}   // namespace

template <>
const RowEntries OnPath<RowEntries, isa_path>::entries = {
    rmsnorm_forward, rmsnorm_backward_input, rmsnorm_backward_weight, rope, swiglu_forward, swiglu_backward, add_rows};

}   // namespace lastro::kernels
