#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/checkpoint.h"
#include "core/collective.h"
#include "core/shard_format.h"
#include "core/tracker.h"
#include "runtime/checkpoint_folder.h"
#include "runtime/save_protocol.h"

namespace lastro {

// Training state in a folder of checkpoints. save() copies to a staging buffer; one thread in the background does the rest (save_protocol.h).
//
// Events reach the tracker on the thread that calls a verb, at the next verb after they happened. What breaks the talk between the ranks
// is thrown there too; what the file system refuses is an event.
class Checkpointer final : public Checkpoints {
 public:
  struct Settings {
    std::filesystem::path folder;   // <run>/checkpoints; made by the first save
    Digest stage_key;
    int keep = 3;   // verified checkpoints that stay
  };

  // `ranks` is used by the verbs, on the caller's thread; `background` by the thread that saves, alone. Sweeps what a killed run left.
  Checkpointer(Settings settings, const ShardFormat& format, Collective& ranks, std::unique_ptr<Collective> background, Tracker& tracker);

  // Waits for the save in flight.
  ~Checkpointer() override;

  void save(Step step, const Node& scalars, const StateView& state) override;
  std::optional<Node> load_newest(const StateView& state) override;
  std::optional<Node> roll_back(Step limit, const StateView& state) override;
  std::optional<Step> finish() override;
  Digest publish(Step step, const std::filesystem::path& output) override;

  // Bytes that this rank keeps for saving once it has loaded or saved: the staging copy and the digests of all tiles.
  static std::int64_t staging_bytes(const StateLayout& layout, Rank rank, int world);

 private:
  void wait_for_save();
  void tell(const std::vector<std::string>& remarks);
  void reserve_staging(const StateLayout& layout);
  bool load(const CommittedCheckpoint& candidate, const StateView& state);
  void save_in_background();
  std::string newest_verified_folder(std::optional<Step> step);

  const Settings settings_;
  const CheckpointFolder folder_;
  const ShardFormat& format_;
  Collective& ranks_;
  const std::unique_ptr<Collective> background_;
  Tracker& tracker_;
  std::vector<float> staging_;

  // Between the caller and the thread that saves.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<SaveJob> job_;   // from save() until it is done
  bool closing_ = false;
  std::vector<std::string> remarks_;
  std::exception_ptr broken_;
  std::thread thread_;   // begun by the first save
};

}   // namespace lastro
