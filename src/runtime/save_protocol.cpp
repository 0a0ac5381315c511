#include "runtime/save_protocol.h"

#include <cerrno>
#include <numeric>

#include "core/hash.h"
#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace {

bool is_disk_full(const std::vector<Failure>& failures) {
  for (const Failure& failure : failures)
    if (failure.error == ENOSPC || failure.error == EDQUOT) return true;
  return false;
}

std::string line_of(Step step, const std::vector<Failure>& failures) {
  std::string text = "checkpoint " + std::to_string(step.value) + " was not saved; training goes on";
  for (const Failure& failure : failures) text += "; rank " + std::to_string(failure.rank) + ": " + failure.message;
  if (is_disk_full(failures)) text += "; the disk is full: free some space, the next save tries again";
  return text;
}

ShardRecord shard_from(const Node& node) {
  ShardRecord shard;
  shard.file = node.at("file").text();
  shard.sha256 = Digest::parse(node.at("sha256").text()).value();
  shard.structure = Digest::parse(node.at("structure").text()).value();
  shard.places.file_bytes = node.at("bytes").integer();
  shard.places.tile_digests = node.at("tile_digests").integer();
  for (const Node& row : node.at("data").items()) {
    auto& offsets = shard.places.data.emplace_back();
    for (const Node& offset : row.items()) offsets.push_back(offset.integer());
  }
  return shard;
}

}   // namespace

std::vector<std::string> SaveProtocol::run(const SaveJob& job) {
  std::vector<std::string> remarks;
  if (is_there_already(job, remarks)) return remarks;
  Failures failures = write(job);
  if (is_disk_full(failures)) {
    const Failures room = together(ranks_, [&] {
      if (!ranks_.is_root()) return;
      folder_.remove(folder_.folder_of(job.step));
      folder_.rotate(keep_);
    });
    if (room.empty()) failures = write(job);
  }
  if (failures.empty()) failures = verify(job);
  if (failures.empty()) {
    mark_and_rotate(job.step, remarks);
    return remarks;
  }
  remarks.push_back(line_of(job.step, failures));
  const Failures left = together(ranks_, [&] {
    if (ranks_.is_root()) folder_.remove(folder_.folder_of(job.step));
  });
  for (const Failure& failure : left)
    remarks.push_back("what is left of checkpoint " + std::to_string(job.step.value) + " cannot be removed: " + failure.message);
  return remarks;
}

// A run that goes on from a checkpoint may come by its step again. The state must then be the same: equal runs have equal bits.
bool SaveProtocol::is_there_already(const SaveJob& job, std::vector<std::string>& remarks) {
  std::string text;
  std::optional<CommittedCheckpoint> there;
  together(ranks_, [&] {
    if (ranks_.is_root() && (there = folder_.find(job.step))) text = there->folder.string();
  });
  text = broadcast_text(ranks_, text);
  if (text.empty()) return false;

  bool equal = false;
  const auto tiles = gather_tiles(job.layout, hash_tiles(header_of(job), job.data));
  const Failures failures = together(ranks_, [&] {
    const CommittedCheckpoint found = read_committed(text);
    equal = found.index.content == content_digest(job.step, job.scalars, roots_of(job.layout, tiles));
    if (!equal)
      throw ContractError(text + " holds another state (" + found.index.content.hex().substr(0, 12) + ") than this run reached at the same step");
    for (int shard = ranks_.rank().value; shard < found.index.world; shard += ranks_.size())
      if (const auto damages = verify_shard(text, found.index, shard, ReadFrom::disk); !damages.empty()) throw DamagedShard(damages.front());
  });
  for (const Failure& failure : failures)
    if (&failure == &failures.front() || failure.message != failures.front().message) remarks.push_back(failure.message + "; it is written anew");
  if (!failures.empty()) return false;
  mark_and_rotate(job.step, remarks);
  return true;
}

SaveProtocol::Failures SaveProtocol::write(const SaveJob& job) {
  const Failures place = together(ranks_, [&] {
    if (ranks_.is_root()) folder_.clear_place(job.step);
  });
  if (!place.empty()) return place;
  WrittenShard mine;
  const Failures writing = together(ranks_, [&] { mine = write_shard(format_, folder_.folder_of(job.step), header_of(job), job.data); });
  if (!writing.empty()) return writing;
  return commit(job, mine);
}

SaveProtocol::Failures SaveProtocol::commit(const SaveJob& job, const WrittenShard& mine) {
  const auto tiles = gather_tiles(job.layout, mine.tiles);
  const std::vector<std::string> shards = all_gather_text(ranks_, to_json(to_node(mine.record)));
  const std::string scalars = to_json(job.scalars);
  const std::vector<std::string> all_scalars = all_gather_text(ranks_, sha256(scalars).hex());
  return together(ranks_, [&] {
    if (!ranks_.is_root()) return;
    for (int rank = 0; rank < ranks_.size(); ++rank)
      if (all_scalars[rank] != all_scalars[0])
        throw InternalError("rank " + std::to_string(rank) + " has other scalars than rank 0 (they must be equal on all ranks)");
    CheckpointIndex index{.stage_key = stage_key_, .step = job.step, .world = ranks_.size(), .layout = job.layout, .scalars = job.scalars};
    index.roots = roots_of(job.layout, tiles);
    index.content = content_digest(job.step, job.scalars, index.roots);
    for (const std::string& shard : shards) index.shards.push_back(shard_from(parse_json(shard, "a rank's shard record")));
    folder_.commit(job.step, to_text(index));
  });
}

SaveProtocol::Failures SaveProtocol::verify(const SaveJob& job) {
  return together(ranks_, [&] {
    const CommittedCheckpoint written = read_committed(folder_.folder_of(job.step));
    const auto damages = verify_shard(written.folder, written.index, ranks_.rank().value, ReadFrom::disk);
    if (!damages.empty()) throw DamagedShard(damages.front());
  });
}

// The new checkpoint is good already: what goes wrong here must not take it away.
void SaveProtocol::mark_and_rotate(Step step, std::vector<std::string>& remarks) {
  const Failures marking = together(ranks_, [&] {
    if (!ranks_.is_root()) return;
    const auto checkpoint = folder_.find(step);
    if (checkpoint && !checkpoint->verified) folder_.mark_verified(*checkpoint);
  });
  for (const Failure& failure : marking)
    remarks.push_back("checkpoint " + std::to_string(step.value) + " is whole, but not marked so: " + failure.message);
  if (!marking.empty()) return;
  const Failures rotating = together(ranks_, [&] {
    if (ranks_.is_root()) folder_.rotate(keep_);
  });
  for (const Failure& failure : rotating)
    remarks.push_back("checkpoint " + std::to_string(step.value) + " is saved, but an older one cannot be removed: " + failure.message);
}

std::vector<std::vector<Digest>> SaveProtocol::gather_tiles(const StateLayout& layout, const std::vector<Digest>& mine) {
  std::vector<std::int64_t> lengths;
  for (int rank = 0; rank < ranks_.size(); ++rank)
    lengths.push_back(tiles_in_shard(layout, rank, ranks_.size()) * static_cast<std::int64_t>(sizeof(Digest)));
  std::vector<Digest> all(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) / sizeof(Digest));
  ranks_.all_gather(std::as_bytes(std::span(mine)), lengths, std::as_writable_bytes(std::span(all)));
  std::vector<std::vector<Digest>> tiles;
  auto next = all.begin();
  for (const std::int64_t length : lengths) {
    tiles.emplace_back(next, next + length / sizeof(Digest));
    next += length / sizeof(Digest);
  }
  return tiles;
}

}   // namespace lastro
