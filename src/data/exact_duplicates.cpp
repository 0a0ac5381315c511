#include "data/exact_duplicates.h"

#include <optional>

#include "data/together.h"

namespace lastro {
namespace {

struct DigestRecord {
  Digest digest;
  DocumentId id;
  std::uint64_t home;
  bool operator<(const DigestRecord& other) const { return digest != other.digest ? digest < other.digest : id < other.id; }
};

// Tells the homes of all but the first document with a digest.
class DuplicateFinder {
 public:
  explicit DuplicateFinder(Exchange<Removal>& removals) : removals_(removals) {}
  void next(const DigestRecord& record) {
    if (!first_ || first_->digest != record.digest) {
      first_ = record;
      return;
    }
    Removal removal;
    removal.id = record.id;
    removal.of = first_->id;
    removal.digest = record.digest;
    removal.rule = Rule::exact_duplicate;
    removals_.send(static_cast<int>(record.home), removal);
  }

 private:
  Exchange<Removal>& removals_;
  std::optional<DigestRecord> first_;
};

}   // namespace

void remove_exact_duplicates(BuildState& state) {
  RunContext& run = state.run;
  Exchange<DigestRecord> digests(run, state.folder, "digests", Exchange<DigestRecord>::owners(run));
  Exchange<Removal> removals(run, state.folder, "exact", run.ranks.size());
  together(run, [&] {
    state.store.for_each([&](const DocumentRecord& record) {
      if (state.is_evaluation(record.id)) return;
      const auto owner = static_cast<int>(head_of(record.digest) % static_cast<std::uint64_t>(digests.receivers()));
      digests.send(owner, {record.digest, record.id, record.home});
    });
    digests.close();
  });
  together(run, [&] {
    SpillSorter<DigestRecord> sorter(state.folder / ("digests-" + std::to_string(run.ranks.rank().value)), memory_share(run, 16));
    digests.receive([&](const DigestRecord& record) { sorter.add(record); });
    DuplicateFinder finder(removals);
    sorter.for_each([&](const DigestRecord& record) { finder.next(record); });
    removals.close();
  });
  together(run, [&] { take_out(state, removals); });
}

}   // namespace lastro
