// What a checkpoint costs: the stall that training sees against the whole save; durable writes with hashes against the same without; verifying.
//
//   bench_checkpoint [MILLION_PARAMETERS [FOLDER]]     default: 8 million parameters (96 MB of state), in the folder for temporary files
//
// Both sides of a comparison take turns within one run; medians are printed.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/checkpoint_reader.h"
#include "core/durable_file.h"
#include "core/hash.h"
#include "infra/hdf5/hdf5_shard_format.h"
#include "infra/threads/threads_collective.h"
#include "runtime/checkpointer.h"
#include "runtime/shard_file.h"

namespace lastro {
namespace {

constexpr int rounds = 7;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// The same bytes, as durable, without structure and hashes.
void write_plainly(const std::filesystem::path& path, std::span<const float> data) {
  DraftFile draft("shard", path.string() + ".tmp", DraftFile::Begin::empty);
  draft.reserve(static_cast<std::int64_t>(data.size_bytes()));
  constexpr std::size_t block = 1 << 20;
  for (std::size_t begin = 0; begin < data.size(); begin += block)
    draft.write_at(static_cast<std::int64_t>(begin * sizeof(float)), std::as_bytes(data.subspan(begin, std::min(block, data.size() - begin))));
  draft.keep(path);
}

void bench(std::int64_t parameters, const std::filesystem::path& folder) {
  StateLayout layout;
  for (int block = 0; block < 8; ++block) layout.units.push_back({"block-0" + std::to_string(block), parameters / 8});
  std::vector<float> data(parameters / 8 * 8 * static_cast<std::int64_t>(layout.planes.size()));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 1000003) * 1e-6f;
  const double megabytes = static_cast<double>(data.size() * sizeof(float)) / 1e6;
  StateView state{layout, {}};
  auto next = std::span(data);
  for (std::size_t plane = 0; plane < layout.planes.size(); ++plane) {
    state.shards.emplace_back();
    for (const auto& unit : layout.units) {
      state.shards.back().push_back(next.first(unit.elements));
      next = next.subspan(unit.elements);
    }
  }

  const Hdf5ShardFormat format;
  std::vector<double> stalls, saves, hashed, plain, hashes, verifies;
  run_as_ranks(1, [&](Collective& ranks) {
    SilentTracker tracker;
    Checkpointer checkpoints({folder / "checkpoints", sha256("bench"), 1}, format, ranks, ranks.split(0), tracker);
    Node scalars = Node::mapping();
    for (std::int64_t step = 0; step <= rounds; ++step) {
      double stall = 0;
      const double save = seconds_of([&] {
        stall = seconds_of([&] { checkpoints.save(Step{step}, scalars, state); });
        checkpoints.finish();
      });
      const ShardHeader header{layout, Step{step}, sha256("bench").hex(), Rank{0}, 1};
      const double with = seconds_of([&] { write_shard(format, folder, header, data); });
      const double without = seconds_of([&] { write_plainly(folder / "plain", data); });
      const double hash = seconds_of([&] { hash_tiles(header, data); });
      const double verify = seconds_of([&] { verify_checkpoint(folder / "checkpoints" / step_folder_name(Step{step})); });
      if (step == 0) continue;   // memory and disk are touched for the first time
      stalls.push_back(stall);
      saves.push_back(save);
      hashed.push_back(with);
      plain.push_back(without);
      hashes.push_back(hash);
      verifies.push_back(verify);
    }
  });

  const auto line = [&](const char* what, double seconds) {
    std::printf("  %-58s %8.1f ms %8.2f GB/s\n", what, seconds * 1e3, megabytes / 1e3 / seconds);
  };
  std::printf("state of %.1f million parameters: %.0f MB, one rank, medians of %d\n", static_cast<double>(parameters) / 1e6, megabytes, rounds);
  line("stall that training sees (copy to staging)", median(stalls));
  line("whole save (write, hash, fsync, commit, read back, verify)", median(saves));
  line("durable write, hashed (one shard)", median(hashed));
  line("durable write, plain (the same bytes)", median(plain));
  line("hashing alone (SHA-256 a tile)", median(hashes));
  line("verify_checkpoint", median(verifies));
  std::printf("  stall / save = %.3f    hashed / plain = %.2f\n", median(stalls) / median(saves), median(hashed) / median(plain));
}

}   // namespace
}   // namespace lastro

int main(int argc, char** argv) {
  const double millions = argc > 1 ? std::atof(argv[1]) : 8;
  if (!(millions > 0 && millions < 1e6)) {
    std::fprintf(stderr, "bench_checkpoint: \"%s\" million parameters (a positive number is wanted)\n", argv[1]);
    return 2;
  }
  const std::filesystem::path parent = argc > 2 ? std::filesystem::path(argv[2]) : std::filesystem::temp_directory_path();
  const std::filesystem::path folder = parent / ("lastro-bench-checkpoint-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  lastro::bench(static_cast<std::int64_t>(millions * 1e6), folder);
  std::filesystem::remove_all(folder);
}
