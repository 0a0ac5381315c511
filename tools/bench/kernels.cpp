// Prints each kernel's rate at a small model's shapes: GFLOP/s, its share of the multiply-add peak measured in the same run, and how many
// times faster than a naive loop it is. Medians of interleaved rounds.
// Usage: bench_kernels [threads] [rounds]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "infra/workers/worker_pool.h"
#include "kernels/attention.h"
#include "kernels/head.h"
#include "kernels/linear.h"
#include "kernels/optimizer.h"
#include "kernels/path.h"
#include "kernels/peak.h"
#include "kernels/rmsnorm.h"
#include "kernels/swiglu.h"

namespace lastro::kernels {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Tensor {
  Tensor(std::int64_t rows, std::int64_t columns, float step) : rows(rows), columns(columns), values(static_cast<std::size_t>(rows * columns)) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) * step / 101 - step / 2;
  }
  Matrix view() { return {values.data(), rows, columns}; }
  std::int64_t rows, columns;
  std::vector<float> values;
};

// One line of the table: `flops` of one call (0: elementwise, rate in elements), the kernel and, where there is one, a naive form.
struct Measured {
  std::string name;
  double flops;
  std::function<void()> kernel, naive;
};

void print(const Measured& measured, Workers& workers, int rounds) {
  std::vector<double> kernel, naive, peak;
  measured.kernel();
  for (int round = 0; round < rounds; ++round) {
    kernel.push_back(seconds_of(measured.kernel));
    peak.push_back(measure_peak_flops(workers, 0.002));
    if (measured.naive && round < 3) naive.push_back(seconds_of(measured.naive));
  }
  const double rate = measured.flops / median(kernel);
  std::printf("%-34s %9.3f ms %8.1f GFLOP/s %5.1f %% of peak", measured.name.c_str(), median(kernel) * 1e3, rate / 1e9, 100 * rate / median(peak));
  if (!naive.empty()) std::printf("   %6.1f x naive", median(naive) / median(kernel));
  std::printf("\n");
  std::fflush(stdout);
}

void naive_product(const Tensor& x, const Tensor& weight, Tensor& y) {
  for (std::int64_t t = 0; t < y.rows; ++t)
    for (std::int64_t o = 0; o < y.columns; ++o) {
      float sum = 0;
      for (std::int64_t k = 0; k < x.columns; ++k) sum += x.values[t * x.columns + k] * weight.values[o * x.columns + k];
      y.values[t * y.columns + o] = sum;
    }
}

void linear(Workers& workers, std::int64_t tokens, std::int64_t outputs, std::int64_t inputs, int rounds) {
  Tensor x(tokens, inputs, 1.0f), weight(outputs, inputs, 0.5f), y(tokens, outputs, 1.0f), dx(tokens, inputs, 0.0f), dweight(outputs, inputs, 0.0f);
  std::vector<std::byte> workspace(linear_workspace_bytes(workers.size()));
  const double flops = 2.0 * static_cast<double>(tokens * outputs * inputs);
  const std::string sizes = std::to_string(tokens) + " x " + std::to_string(outputs) + " x " + std::to_string(inputs);
  const auto forward = [&] { linear_forward(workers, x.view(), weight.view(), y.view(), Start::zero, workspace); };
  const auto to_input = [&] { linear_backward_input(workers, y.view(), weight.view(), dx.view(), Start::zero, workspace); };
  const auto to_weight = [&] { linear_backward_weight(workers, y.view(), x.view(), dweight.view(), Start::zero, workspace); };
  print({"linear forward " + sizes, flops, forward, [&] { naive_product(x, weight, y); }}, workers, rounds);
  print({"linear dx      " + sizes, flops, to_input, nullptr}, workers, rounds);
  print({"linear dweight " + sizes, flops, to_weight, nullptr}, workers, rounds);
}

// One head's causal attention, whole rows of scores at a time.
void naive_attention(const AttentionShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, Tensor& out) {
  std::vector<float> p(static_cast<std::size_t>(shape.queries));
  for (std::int64_t s = 0; s < shape.sequences; ++s)
    for (int h = 0; h < shape.heads; ++h)
      for (std::int64_t i = 0; i < shape.queries; ++i) {
        const std::int64_t kv = h / (shape.heads / shape.kv_heads) * shape.head_dim;
        const float* row = q.values.data() + (s * shape.queries + i) * q.columns + h * shape.head_dim;
        float* to = out.values.data() + (s * shape.queries + i) * q.columns + h * shape.head_dim;
        float most = -INFINITY, sum = 0;
        for (std::int64_t j = 0; j <= i; ++j) {
          p[j] = 0;
          for (int d = 0; d < shape.head_dim; ++d) p[j] += row[d] * k.values[(s * shape.queries + j) * k.columns + kv + d];
          most = std::max(most, p[j] *= shape.scale);
        }
        for (std::int64_t j = 0; j <= i; ++j) sum += p[j] = std::exp(p[j] - most);
        for (int d = 0; d < shape.head_dim; ++d) to[d] = 0;
        for (std::int64_t j = 0; j <= i; ++j)
          for (int d = 0; d < shape.head_dim; ++d) to[d] += p[j] / sum * v.values[(s * shape.queries + j) * k.columns + kv + d];
      }
}

void attention(Workers& workers, const AttentionShape& shape, int rounds) {
  const std::int64_t rows = shape.sequences * shape.queries, width = shape.heads * shape.head_dim, kv_width = shape.kv_heads * shape.head_dim;
  Tensor q(rows, width, 2.0f), k(rows, kv_width, 2.0f), v(rows, kv_width, 1.0f), out(rows, width, 0.0f), dout(rows, width, 1.0f),
      dq(rows, width, 0.0f), dk(rows, kv_width, 0.0f), dv(rows, kv_width, 0.0f), naive_out(rows, width, 0.0f);
  std::vector<float> logsumexp(static_cast<std::size_t>(rows * shape.heads));
  std::vector<std::byte> workspace(
      std::max(attention_forward_workspace_bytes(shape, workers.size()), attention_backward_workspace_bytes(shape, workers.size())));
  const double flops = 4.0 * shape.head_dim * shape.heads * static_cast<double>(shape.sequences * shape.queries * (shape.queries + 1) / 2);
  const std::string sizes = std::to_string(shape.sequences) + " x " + std::to_string(shape.queries) + ", " + std::to_string(shape.heads) + "/" +
                            std::to_string(shape.kv_heads) + " x " + std::to_string(shape.head_dim);
  const auto forward = [&] { attention_forward(workers, shape, q.view(), k.view(), v.view(), out.view(), logsumexp.data(), workspace); };
  const auto backward = [&] {
    attention_backward(workers, shape, q.view(), k.view(), v.view(), out.view(), logsumexp.data(), dout.view(), dq.view(), dk.view(), dv.view(),
                       workspace);
  };
  print({"attention forward  " + sizes, flops, forward, [&] { naive_attention(shape, q, k, v, naive_out); }}, workers, rounds);
  print({"attention backward " + sizes, 2.5 * flops, backward, nullptr}, workers, rounds);
}

void head(Workers& workers, const HeadShape& shape, int rounds) {
  Tensor x(shape.tokens, shape.width, 1.0f), weight(shape.vocabulary, shape.width, 0.1f), dx(shape.tokens, shape.width, 0.0f),
      dweight(shape.vocabulary, shape.width, 0.0f);
  std::vector<std::int32_t> targets(static_cast<std::size_t>(shape.tokens));
  for (std::size_t t = 0; t < targets.size(); ++t) targets[t] = static_cast<std::int32_t>(t * 7 % shape.vocabulary);
  std::vector<float> dlog_probs(targets.size(), -1.0f / static_cast<float>(targets.size())), log_probs(targets.size());
  std::vector<std::byte> workspace(head_workspace_bytes(shape, workers.size()));
  const double flops = 6.0 * static_cast<double>(shape.tokens * shape.width * shape.vocabulary);
  print({"head " + std::to_string(shape.tokens) + " x " + std::to_string(shape.width) + " x " + std::to_string(shape.vocabulary), flops,
         [&] {
           head_forward_backward(workers, shape, x.view(), weight.view(), targets, dlog_probs, log_probs, dx.view(), dweight.view(), Start::zero,
                                 workspace);
         },
         nullptr},
        workers, rounds);
}

// Elementwise kernels are bound by memory; their floating-point operations are counted as written in their headers.
void elementwise(Workers& workers, int rounds) {
  Tensor x(512, 256, 1.0f), y(512, 256, 0.0f), gate(512, 704, 1.0f), up(512, 704, 1.0f), h(512, 704, 0.0f);
  std::vector<float> scales(256, 1.0f), inverse(512), parameters(1 << 20, 0.1f), m(1 << 20, 0.0f), v(1 << 20, 0.0f), gradient(1 << 20, 0.01f);
  AdamwSettings settings;
  settings.lr = 1e-3;
  print({"rmsnorm forward 512 x 256", 4.0 * 512 * 256, [&] { rmsnorm_forward(workers, x.view(), scales.data(), 1e-5f, y.view(), inverse.data()); },
         nullptr},
        workers, rounds);
  print({"swiglu forward 512 x 704", 24.0 * 512 * 704, [&] { swiglu_forward(workers, gate.view(), up.view(), h.view()); }, nullptr}, workers, rounds);
  print({"adamw 1 M parameters", 14.0 * (1 << 20), [&] { adamw(workers, settings, parameters, m, v, gradient); }, nullptr}, workers, rounds);
}

void print_all(int threads, int rounds) {
  WorkerPool workers(threads);
  std::printf("path %s, %d threads, multiply-add peak %.1f GFLOP/s\n", std::string(name_of(cpu_path())).c_str(), threads,
              measure_peak_flops(workers, 0.2) / 1e9);
  for (const auto& [outputs, inputs] : {std::pair{512, 256}, {256, 256}, {1408, 256}, {704, 256}, {256, 704}})
    linear(workers, 512, outputs, inputs, rounds);
  linear(workers, 1024, 1024, 1024, rounds);
  attention(workers, {2, 256, 0, 256, 4, 2, 64, 0.125f}, rounds);
  attention(workers, {1, 1024, 0, 1024, 4, 2, 64, 0.125f}, rounds);
  head(workers, {512, 256, 4096, 256}, rounds);
  elementwise(workers, rounds);
}

}   // namespace
}   // namespace lastro::kernels

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 11;
  lastro::kernels::print_all(threads, rounds);
}
