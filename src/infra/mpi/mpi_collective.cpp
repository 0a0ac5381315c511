#include "infra/mpi/mpi_collective.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>

#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::int64_t piece_bytes = std::int64_t{4} << 20;
constexpr std::int64_t staging_limit_bytes = std::int64_t{16} << 20;
constexpr std::size_t requests_at_once = 64;
constexpr int tag = 1;

// Floats of one arriving piece of fold_scatter: as large as pays, as small as the number of peers demands.
std::int64_t fold_piece(int ranks) {
  const std::int64_t peers = std::max(ranks - 1, 1);
  const std::int64_t bytes = std::clamp(staging_limit_bytes / (2 * peers), std::int64_t{64} << 10, piece_bytes);
  return bytes / static_cast<std::int64_t>(sizeof(float)) / 16 * 16;
}

std::int64_t pieces_of(std::int64_t count, std::int64_t piece) { return (count + piece - 1) / piece; }

std::int64_t begin_of(std::span<const std::int64_t> lengths, int rank) {
  return std::accumulate(lengths.begin(), lengths.begin() + rank, std::int64_t{0});
}

// Calls use(begin, count) for each piece of `total` bytes.
template <class Use>
void for_pieces(std::int64_t total, Use use) {
  for (std::int64_t begin = 0; begin < total; begin += piece_bytes) use(begin, static_cast<int>(std::min(piece_bytes, total - begin)));
}

}   // namespace

MpiCollective::MpiCollective(MPI_Comm parent, Waiting waiting) : waiting_(waiting) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

MpiCollective::MpiCollective(Adopt, MPI_Comm own, Waiting waiting) : comm_(own), waiting_(waiting) {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

MpiCollective::~MpiCollective() {
  // Freeing waits for the other ranks; while an exception passes they would not come.
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized && comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

std::int64_t MpiCollective::staging_bytes(int ranks) {
  return ranks == 1 ? 0 : 2 * (ranks - 1) * fold_piece(ranks) * static_cast<std::int64_t>(sizeof(float));
}

void MpiCollective::check(int error, const char* call) const {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  throw EnvironmentError("mpi failed in " + std::string(call) + " on rank " + std::to_string(rank_) + " (" + text + ")", "mpi", call, error, rank_);
}

void MpiCollective::wait_all(std::vector<MPI_Request>& requests) {
  const int count = static_cast<int>(requests.size());
  if (waiting_ == Waiting::busy) {
    check(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  } else {
    auto pause = std::chrono::microseconds(20);
    for (int done = 0;;) {
      check(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) break;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(2000));
    }
  }
  requests.clear();
}

void MpiCollective::barrier() {
  check(MPI_Ibarrier(comm_, &requests_[0].emplace_back()), "MPI_Ibarrier");
  wait_all(requests_[0]);
}

void MpiCollective::broadcast(std::span<std::byte> bytes, Rank root) {
  for_pieces(static_cast<std::int64_t>(bytes.size()), [&](std::int64_t begin, int count) {
    check(MPI_Ibcast(bytes.data() + begin, count, MPI_BYTE, root.value, comm_, &requests_[0].emplace_back()), "MPI_Ibcast");
    wait_all(requests_[0]);
  });
}

// At distance d every rank sends its part to rank + d and receives that of rank - d, so all links are busy alike. Ranks post transfers in
// the order of (distance, piece); the least transfer still open is always posted on both sides, so batches cannot wait in a circle.
void MpiCollective::all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths, std::span<std::byte> whole) {
  const auto place_of = [&](int r) { return whole.data() + begin_of(lengths, r); };
  if (!mine.empty() && place_of(rank_) != mine.data()) std::memcpy(place_of(rank_), mine.data(), mine.size());
  auto& requests = requests_[0];
  for (int distance = 1; distance < size_; ++distance) {
    const int to = (rank_ + distance) % size_;
    const int from = (rank_ - distance + size_) % size_;
    std::byte* const place = place_of(from);
    const std::int64_t pieces = pieces_of(std::max(lengths[from], lengths[rank_]), piece_bytes);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::int64_t begin = piece * piece_bytes;
      if (const std::int64_t left = lengths[from] - begin; left > 0)
        check(MPI_Irecv(place + begin, static_cast<int>(std::min(left, piece_bytes)), MPI_BYTE, from, tag, comm_, &requests.emplace_back()),
              "MPI_Irecv");
      if (const std::int64_t left = lengths[rank_] - begin; left > 0)
        check(MPI_Isend(mine.data() + begin, static_cast<int>(std::min(left, piece_bytes)), MPI_BYTE, to, tag, comm_, &requests.emplace_back()),
              "MPI_Isend");
      if (requests.size() >= requests_at_once) wait_all(requests);
    }
  }
  wait_all(requests);
}

// Piece by piece: while one piece of the own slice is added up in rank order, the next arrives from all contributors.
void MpiCollective::fold_scatter(std::span<const float> mine, std::span<const std::int64_t> lengths, int contributors, Fold fold,
                                 std::span<float> accumulator) {
  const std::int64_t piece = fold_piece(size_);
  if (size_ > 1 && staging_.empty()) staging_.resize(staging_bytes(size_) / sizeof(float));
  const std::int64_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  const std::int64_t pieces = pieces_of(longest, piece);
  const auto slot = [&](std::int64_t k, int peer) {   // where piece k of a contributor arrives
    return staging_.data() + ((k & 1) * (size_ - 1) + (peer < rank_ ? peer : peer - 1)) * piece;
  };
  const auto count_of = [&](std::int64_t k, int r) { return static_cast<int>(std::clamp<std::int64_t>(lengths[r] - k * piece, 0, piece)); };

  const auto post = [&](std::int64_t k) {
    auto& requests = requests_[k & 1];
    for (int distance = 1; distance < size_; ++distance) {
      const int from = (rank_ - distance + size_) % size_;
      const int to = (rank_ + distance) % size_;
      if (const int count = count_of(k, rank_); count > 0 && from < contributors)
        check(MPI_Irecv(slot(k, from), count, MPI_FLOAT, from, tag, comm_, &requests.emplace_back()), "MPI_Irecv");
      if (const int count = count_of(k, to); count > 0 && rank_ < contributors)
        check(MPI_Isend(mine.data() + begin_of(lengths, to) + k * piece, count, MPI_FLOAT, to, tag, comm_, &requests.emplace_back()), "MPI_Isend");
    }
  };
  const auto fold_piece_in = [&](std::int64_t k) {
    const std::size_t count = count_of(k, rank_);
    if (count == 0) return;
    const std::span<float> sum = accumulator.subspan(k * piece, count);
    for (int r = 0; r < contributors; ++r) {
      const float* values = r == rank_ ? mine.data() + begin_of(lengths, rank_) + k * piece : slot(k, r);
      if (r == 0 && fold == Fold::start)
        std::memcpy(sum.data(), values, sum.size_bytes());
      else
        add(sum, {values, count});
    }
  };

  if (pieces > 0) post(0);
  for (std::int64_t k = 0; k < pieces; ++k) {
    if (k + 1 < pieces) post(k + 1);
    wait_all(requests_[k & 1]);
    fold_piece_in(k);
  }
}

void MpiCollective::combine(std::span<std::int64_t> values, MPI_Op operation) {
  for_pieces(static_cast<std::int64_t>(values.size_bytes()), [&](std::int64_t begin, int bytes) {
    check(MPI_Iallreduce(MPI_IN_PLACE, reinterpret_cast<std::byte*>(values.data()) + begin, bytes / static_cast<int>(sizeof(std::int64_t)),
                         MPI_INT64_T, operation, comm_, &requests_[0].emplace_back()),
          "MPI_Iallreduce");
    wait_all(requests_[0]);
  });
}

void MpiCollective::all_max(std::span<std::int64_t> values) { combine(values, MPI_MAX); }
void MpiCollective::all_sum(std::span<std::int64_t> values) { combine(values, MPI_SUM); }

std::unique_ptr<Collective> MpiCollective::split(int color) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, color, rank_, &part), "MPI_Comm_split");
  return std::unique_ptr<Collective>(new MpiCollective(Adopt{}, part, waiting_));
}

}   // namespace lastro
