// Our side of tools/bench/train: trains a model on made-up tokens with the engine that `lastro run` uses, and answers lines of stdin, so that
// two such programs can take turns:
//   steps N  ->  <wall seconds> <CPU seconds> <loss of the last step>
//   end      ->  <peak resident bytes>
// Usage: bench_training width layers heads kv_heads ffn vocabulary leaves sequences_per_leaf threads   (context: 256)
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "infra/self/self_collective.h"
#include "infra/workers/worker_pool.h"
#include "train/engine.h"
#include "train/resident.h"

namespace lastro {
namespace {

constexpr std::int64_t context = 256;

// Tokens without meaning: speed does not depend on them.
class MadeUpTokens final : public LeafSource {
 public:
  explicit MadeUpTokens(std::int64_t vocabulary) : vocabulary_(vocabulary) {}
  void leaf(std::int64_t data_step, std::int64_t leaf, std::span<TokenId> tokens) override {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      tokens[i] =
          static_cast<TokenId>((i * i * 31 + i * 7 + static_cast<std::size_t>(data_step * 13 + leaf)) % static_cast<std::size_t>(vocabulary_));
  }

 private:
  std::int64_t vocabulary_;
};

double cpu_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](timeval time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class Training {
 public:
  Training(const EngineShape& shape, int threads) : workers_(threads), engine_(self_, workers_, shape), tokens_(shape.model.vocabulary) {
    engine_.initialise(42);
  }

  double take_step() {
    const StepGradient gradient = engine_.accumulate(tokens_, step_++, {});
    engine_.apply({.learning_rate = 1e-3, .weight_decay = 0.1, .clip_norm = 1.0, .update = step_});
    return gradient.loss;
  }

 private:
  SelfCollective self_;
  WorkerPool workers_;
  Zero3Engine engine_;
  MadeUpTokens tokens_;
  std::int64_t step_ = 0;
};

void answer_lines(Training& training) {
  std::string word;
  while (std::cin >> word && word != "end") {
    int steps = 0;
    std::cin >> steps;
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_seconds();
    double loss = 0;
    for (int step = 0; step < steps; ++step) loss = training.take_step();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%.6f %.6f %.4f\n", seconds, cpu_seconds() - cpu_begin, loss);
    std::fflush(stdout);
  }
  std::printf("%lld\n", static_cast<long long>(peak_resident_bytes()));
}

}   // namespace
}   // namespace lastro

int main(int argc, char** argv) {
  if (argc != 10) {
    std::fprintf(stderr,
                 "bench_training: wrong number of arguments (its nine are named in tools/bench/training.cpp) start it by tools/bench/train\n");
    return 2;
  }
  const auto number = [&](int i) { return std::int64_t{std::atoll(argv[i])}; };
  lastro::ModelShape model;
  model.width = number(1);
  model.layers = number(2);
  model.heads = number(3);
  model.kv_heads = number(4);
  model.ffn = number(5);
  model.context = lastro::context;
  lastro::EngineShape shape;
  shape.model = complete(model, number(6));
  shape.leaves = number(7);
  shape.leaf = {number(8), lastro::context};
  lastro::Training training(shape, static_cast<int>(number(9)));
  lastro::answer_lines(training);
}
