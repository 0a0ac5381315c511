#include "data/build_state.h"

#include <algorithm>
#include <optional>

#include "data/together.h"

namespace lastro {

RemovalLog::RemovalLog(std::filesystem::path file, std::int64_t memory_bytes, std::size_t sources)
    : removals_(std::move(file), memory_bytes), counts_(sources) {}

void RemovalLog::add(const Removal& removal) {
  ++counts_[removal.id.source][static_cast<std::size_t>(removal.rule)];
  removals_.add(removal);
}

std::int64_t BuildState::batch_bytes() const { return std::min<std::int64_t>(memory_share(run, 2), 8 * 1024 * 1024); }

void BuildState::tell_progress(std::int64_t done, std::string_view detail) const {
  const std::int64_t documents = store.size() - items;
  run.tracker.progress(std::min(done, documents), documents, "documents", detail);
}

void take_out(BuildState& state, Exchange<Removal>& removals) {
  SpillSorter<Removal> sorter(state.folder / ("removals-" + std::to_string(state.run.ranks.rank().value)), memory_share(state.run, 8));
  removals.receive([&](const Removal& removal) { sorter.add(removal); });
  state.store.remove([&](const std::function<void(const DocumentId&)>& remove) {
    std::optional<DocumentId> last;
    sorter.for_each([&](const Removal& removal) {
      if (last == removal.id) return;
      last = removal.id;
      state.log.add(removal);
      if (removal.is_reported == 0) remove(removal.id);
    });
  });
}

}   // namespace lastro
