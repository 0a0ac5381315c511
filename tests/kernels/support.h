#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/random.h"
#include "domain/workers.h"
#include "kernels/denormals.h"
#include "kernels/matrix.h"
#include "kernels/path.h"

// What every kernel test shares: made-up tensors, workers that really are threads, and a comparison of bits.
namespace lastro::kernels {

// Plain threads, made anew for each run.
class PlainThreads final : public Workers {
 public:
  explicit PlainThreads(int workers) : workers_(workers) {}
  int size() const override { return workers_; }
  void run(const std::function<void(int worker)>& task) override {
    std::vector<std::thread> threads;
    for (int worker = 1; worker < workers_; ++worker) threads.emplace_back(task, worker);
    task(0);
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int workers_;
};

// Numbers in [-1, 1), another sequence for each `stream`; one in sixteen is denormal, +0, -0 or tiny, so that flushing shows.
inline float test_number(std::uint64_t stream, std::uint64_t i) {
  const double unit = random_unit(7, Purpose::test, i, stream);
  const std::uint64_t kind = random_u64(8, Purpose::test, i, stream) % 64;
  if (kind == 0) return 1e-40f;
  if (kind == 1) return -0.0f;
  if (kind == 2) return 0.0f;
  if (kind == 3) return static_cast<float>((unit - 0.5) * 1e-37);
  return static_cast<float>(2 * unit - 1);
}
inline std::vector<float> test_numbers(std::uint64_t stream, std::int64_t count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = test_number(stream, i);
  return numbers;
}

// The same values in a matrix whose rows are `gap` floats apart, filled with NaN in between: what a kernel must neither read nor write.
struct TestMatrix {
  TestMatrix(std::int64_t rows, std::int64_t columns, std::int64_t gap = 3)
      : rows(rows), columns(columns), stride(columns + gap), values(static_cast<std::size_t>(rows * (columns + gap)), gap_value()) {}
  static float gap_value() { return std::bit_cast<float>(0x7fc12345u); }
  float& at(std::int64_t r, std::int64_t c) { return values[r * stride + c]; }
  const float& at(std::int64_t r, std::int64_t c) const { return values[r * stride + c]; }
  Matrix view() { return {values.data(), rows, columns, stride}; }
  ConstMatrix view() const { return {values.data(), rows, columns, stride}; }

  std::int64_t rows, columns, stride;
  std::vector<float> values;
};

inline TestMatrix filled(std::uint64_t stream, std::int64_t rows, std::int64_t columns, std::int64_t gap = 3) {
  TestMatrix matrix(rows, columns, gap);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) matrix.at(r, c) = test_number(stream, r * columns + c);
  return matrix;
}

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> all;
  for (const float value : values) all.push_back(std::bit_cast<std::uint32_t>(value));
  return all;
}
inline ::testing::AssertionResult same_bits_in(const std::vector<float>& found, const std::vector<float>& wanted) {
  if (found.size() != wanted.size()) return ::testing::AssertionFailure() << found.size() << " numbers instead of " << wanted.size();
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::bit_cast<std::uint32_t>(found[i]) != std::bit_cast<std::uint32_t>(wanted[i]))
      return ::testing::AssertionFailure() << "number " << i << " is " << found[i] << " (wanted " << wanted[i] << ")";
  return ::testing::AssertionSuccess();
}

// body(workers) on every path that the processor has, with 1, 2 and 3 workers. Each round must have run on the path it is for.
template <class Body>
void on_every_path(const Body& body) {
  for (const CpuPath path : all_cpu_paths) {
    if (!processor_has(path)) {
      static bool said[3];
      if (!std::exchange(said[static_cast<int>(path)], true))
        std::printf("[ path skip ] %s: this processor lacks its instructions\n", std::string(name_of(path)).c_str());
      continue;
    }
    const CpuPathInForce in_force(path);
    for (const int count : {1, 2, 3}) {
      SCOPED_TRACE(std::string(name_of(path)) + ", " + std::to_string(count) + " workers");
      PlainThreads workers(count);
      std::uint64_t before[3];
      for (const CpuPath each : all_cpu_paths) before[static_cast<int>(each)] = executed_pieces(each);
      body(workers);
      for (const CpuPath each : all_cpu_paths) {
        if (each == path)
          EXPECT_GT(executed_pieces(each), before[static_cast<int>(each)]);
        else
          EXPECT_EQ(executed_pieces(each), before[static_cast<int>(each)]);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}   // namespace lastro::kernels
