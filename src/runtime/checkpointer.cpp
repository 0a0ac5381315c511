#include "runtime/checkpointer.h"

#include <algorithm>

#include "core/crash_points.h"
#include "core/durable_file.h"
#include "domain/errors.h"
#include "runtime/checkpoint_load.h"

namespace lastro {
namespace {

std::int64_t elements_of(const StateLayout& layout, Rank rank, int world) {
  std::int64_t elements = 0;
  for (const StateLayout::Unit& unit : layout.units) elements += shard_of(unit.elements, layout.tile_elements, rank, world).size();
  return elements * static_cast<std::int64_t>(layout.planes.size());
}

}   // namespace

Checkpointer::Checkpointer(Settings settings, const ShardFormat& format, Collective& ranks, std::unique_ptr<Collective> background, Tracker& tracker)
    : settings_(std::move(settings)),
      folder_(settings_.folder, settings_.stage_key),
      format_(format),
      ranks_(ranks),
      background_(std::move(background)),
      tracker_(tracker) {
  if (!ranks_.is_root()) return;
  try {
    tell(folder_.sweep());
  } catch (const Error& error) {
    tell({std::string(error.what()) + "; what a killed run left stays there"});
  }
}

Checkpointer::~Checkpointer() {
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  try {
    tell(remarks_);
  } catch (...) {   // an event that cannot be told must not end the program
  }
}

std::int64_t Checkpointer::staging_bytes(const StateLayout& layout, Rank rank, int world) {
  std::int64_t tiles = 0;
  for (const StateLayout::Unit& unit : layout.units) tiles += tiles_of(unit.elements, layout.tile_elements);
  tiles *= static_cast<std::int64_t>(layout.planes.size());
  return elements_of(layout, rank, world) * static_cast<std::int64_t>(sizeof(float)) + 2 * tiles * static_cast<std::int64_t>(sizeof(Digest));
}

void Checkpointer::tell(const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) tracker_.event(remark);
}

void Checkpointer::reserve_staging(const StateLayout& layout) { staging_.resize(elements_of(layout, ranks_.rank(), ranks_.size())); }

void Checkpointer::wait_for_save() {
  std::vector<std::string> remarks;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !job_; });
    remarks.swap(remarks_);
  }
  tell(remarks);
  if (broken_) std::rethrow_exception(broken_);
}

void Checkpointer::save(Step step, const Node& scalars, const StateView& state) {
  wait_for_save();
  reserve_staging(state.layout);
  auto place = staging_.begin();
  for (const auto& plane : state.shards)
    for (const auto& unit : plane) place = std::copy(unit.begin(), unit.end(), place);
  if (place != staging_.end()) throw InternalError("the state to be saved is smaller than its layout says");
  const std::lock_guard lock(mutex_);
  job_ = SaveJob{step, scalars, state.layout, staging_};
  if (!thread_.joinable()) thread_ = std::thread([this] { save_in_background(); });
  changed_.notify_all();
}

void Checkpointer::save_in_background() {
  name_crash_rank(background_->rank().value);
  SaveProtocol protocol(folder_, settings_.stage_key, settings_.keep, format_, *background_);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return job_ || closing_; });
    if (!job_) return;
    lock.unlock();
    std::vector<std::string> remarks;
    std::exception_ptr broken;
    try {
      remarks = protocol.run(*job_);
    } catch (...) {   // the ranks cannot talk any more; whoever trains must hear it
      broken = std::current_exception();
    }
    lock.lock();
    remarks_.insert(remarks_.end(), remarks.begin(), remarks.end());
    broken_ = broken;
    job_.reset();
    changed_.notify_all();
    if (broken) return;
  }
}

std::optional<Node> Checkpointer::load_newest(const StateView& state) {
  wait_for_save();
  reserve_staging(state.layout);
  std::vector<CommittedCheckpoint> candidates;
  const auto listing = together(ranks_, [&] {
    if (!ranks_.is_root()) return;
    std::vector<std::string> remarks;
    candidates = folder_.list(&remarks);
    tell(remarks);
  });
  if (!listing.empty()) throw EnvironmentError(listing.front().message, "libc", "opendir", listing.front().error, listing.front().rank);

  // Rank 0 decides what there is; the others are told, so that no rank's view of a shared folder can differ.
  for (std::size_t next = 0;; ++next) {
    const bool more = next < candidates.size();
    CommittedCheckpoint candidate;
    candidate.folder = broadcast_text(ranks_, more ? candidates[next].folder.string() : "");
    if (candidate.folder.empty()) return std::nullopt;
    candidate.index_text = broadcast_text(ranks_, more ? candidates[next].index_text : "");
    candidate.index = parse_index(candidate.index_text, (candidate.folder / index_file_name).string());
    candidate.verified = more && candidates[next].verified;
    if (load(candidate, state)) return candidate.index.scalars;
  }
}

// Damage found is an event, and the checkpoint no longer counts as verified, so rotation keeps what is whole.
bool Checkpointer::load(const CommittedCheckpoint& candidate, const StateView& state) {
  const auto failures = together(ranks_, [&] { load_part(candidate, state, ranks_.rank(), ranks_.size()); });
  if (ranks_.is_root()) {
    for (const Failure& failure : failures) tracker_.event(failure.message + " " + candidate.folder.filename().string() + " is passed over");
    try {
      if (failures.empty() && !candidate.verified) folder_.mark_verified(candidate);
      if (!failures.empty() && candidate.verified) folder_.mark_damaged(candidate);
    } catch (const Error& error) {
      tracker_.event(error.what());
    }
  }
  return failures.empty();
}

std::optional<Node> Checkpointer::roll_back(Step limit, const StateView& state) {
  wait_for_save();
  const auto failures = together(ranks_, [&] {
    if (!ranks_.is_root()) return;
    for (const CommittedCheckpoint& one : folder_.list())
      if (one.index.step > limit) folder_.remove(one.folder);
  });
  if (!failures.empty())
    throw EnvironmentError("steps cannot be taken back: " + failures.front().message, "libc", "unlink", failures.front().error,
                           failures.front().rank);
  return load_newest(state);
}

// Empty when there is none.
std::string Checkpointer::newest_verified_folder(std::optional<Step> step) {
  std::string folder;
  const auto failures = together(ranks_, [&] {
    if (!ranks_.is_root()) return;
    for (const CommittedCheckpoint& one : folder_.list()) {
      if (!one.verified || (step && one.index.step != *step)) continue;
      folder = one.folder.string();
      return;
    }
  });
  if (!failures.empty()) throw EnvironmentError(failures.front().message, "libc", "opendir", failures.front().error, failures.front().rank);
  return broadcast_text(ranks_, folder);
}

std::optional<Step> Checkpointer::finish() {
  wait_for_save();
  const std::string folder = newest_verified_folder(std::nullopt);
  if (folder.empty()) return std::nullopt;
  std::int64_t step[1] = {ranks_.is_root() ? read_committed(folder).index.step.value : 0};
  ranks_.all_max(step);
  return Step{step[0]};
}

Digest Checkpointer::publish(Step step, const std::filesystem::path& output) {
  wait_for_save();
  const std::filesystem::path folder = newest_verified_folder(step);
  if (folder.empty())
    throw ContractError("there is no verified checkpoint of step " + std::to_string(step.value) + " in " + settings_.folder.string() +
                        " (nothing else may be published)");
  Digest content;
  const auto failures = together(ranks_, [&] {
    const CommittedCheckpoint checkpoint = read_committed(folder);
    content = checkpoint.index.content;
    for (int shard = ranks_.rank().value; shard < checkpoint.index.world; shard += ranks_.size()) {
      const std::string& file = checkpoint.index.shards[shard].file;
      link_or_copy(folder / file, output / file);
    }
    if (ranks_.is_root()) link_or_copy(folder / index_file_name, output / index_file_name);
    sync_artifact_folder(output);
  });
  if (!failures.empty())
    throw EnvironmentError("checkpoint " + std::to_string(step.value) + " cannot be put into " + output.string() + ": " + failures.front().message,
                           "libc", "link", failures.front().error, failures.front().rank);
  return content;
}

}   // namespace lastro
