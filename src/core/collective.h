#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/ids.h"

namespace lastro {

// Ranks talking. Every rank calls the same verbs in the same order with matching sizes; each call blocks until this rank's part is
// done. There is no sum of floats but fold_scatter, whose order is fixed. Adapters: infra/self, infra/threads, infra/mpi.
class Collective {
 public:
  virtual ~Collective() = default;
  virtual Rank rank() const = 0;
  virtual int size() const = 0;
  bool is_root() const { return rank().value == 0; }

  virtual void barrier() = 0;
  virtual void broadcast(std::span<std::byte> bytes, Rank root) = 0;

  // Concatenates every rank's `mine` in rank order into `whole`. lengths[r] = bytes of rank r; mine.size() == lengths[rank];
  // whole.size() == their sum. `mine` may be its own place inside `whole`.
  virtual void all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths, std::span<std::byte> whole) = 0;

  // Rank r owns the r-th slice (lengths[r] floats) of a vector that ranks 0..contributors-1 each hold whole in `mine` (others pass an
  // empty span). Carries `accumulator` (lengths[rank] floats) on in rank order: acc = (((acc + mine_0) + mine_1) + ...); with
  // Fold::start it begins at rank 0's values themselves instead of an existing sum. Without contributors nothing changes. `accumulator`
  // shares no memory with `mine`, except that one rank alone may start in place.
  enum class Fold { start, carry };
  virtual void fold_scatter(std::span<const float> mine, std::span<const std::int64_t> lengths, int contributors, Fold fold,
                            std::span<float> accumulator) = 0;

  virtual void all_max(std::span<std::int64_t> values) = 0;
  virtual void all_sum(std::span<std::int64_t> values) = 0;

  // The ranks that name the same color (>= 0), ordered by rank.
  virtual std::unique_ptr<Collective> split(int color) = 0;
};

// sum[i] += values[i]: the one addition of floats that an adapter makes.
void add(std::span<float> sum, std::span<const float> values);

// Conveniences on any collective.
std::vector<std::string> all_gather_text(Collective& ranks, std::string_view mine);   // one text a rank, in rank order
std::string broadcast_text(Collective& ranks, std::string_view text_of_root, Rank root = {});

}   // namespace lastro
