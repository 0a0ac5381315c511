#pragma once

#include <mpi.h>

#include "core/collective.h"

namespace lastro {

// Ranks of an MPI communicator. Messages are cut into pieces (Open MPI falls off a cliff above some 16 MiB; and pieces keep every count
// far below MPI's int). No arithmetic on floats is left to MPI. Include this in infra/mpi alone; others take MpiSession.
class MpiCollective final : public Collective {
 public:
  enum class Waiting { busy, asleep };

  // Takes a duplicate of `parent`; collective over it.
  MpiCollective(MPI_Comm parent, Waiting waiting);
  ~MpiCollective() override;
  MpiCollective(const MpiCollective&) = delete;
  MpiCollective& operator=(const MpiCollective&) = delete;

  Rank rank() const override { return {rank_}; }
  int size() const override { return size_; }
  void barrier() override;
  void broadcast(std::span<std::byte> bytes, Rank root) override;
  void all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths, std::span<std::byte> whole) override;
  void fold_scatter(std::span<const float> mine, std::span<const std::int64_t> lengths, int contributors, Fold fold,
                    std::span<float> accumulator) override;
  void all_max(std::span<std::int64_t> values) override;
  void all_sum(std::span<std::int64_t> values) override;
  std::unique_ptr<Collective> split(int color) override;

  // Bytes that fold_scatter keeps for arriving pieces, allocated at its first call and reused: two sets of one piece a peer.
  static std::int64_t staging_bytes(int ranks);

 private:
  struct Adopt {};
  MpiCollective(Adopt, MPI_Comm own, Waiting waiting);

  void check(int error, const char* call) const;
  void wait_all(std::vector<MPI_Request>& requests);
  void combine(std::span<std::int64_t> values, MPI_Op operation);

  MPI_Comm comm_ = MPI_COMM_NULL;
  Waiting waiting_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<float> staging_;
  std::vector<MPI_Request> requests_[2];   // in flight, by parity of the piece; kept so that no step allocates
};

}   // namespace lastro
