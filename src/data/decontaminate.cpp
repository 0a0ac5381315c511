#include "data/decontaminate.h"

#include <algorithm>
#include <limits>

#include "data/clean.h"
#include "data/ngram_index.h"
#include "data/source_documents.h"
#include "data/together.h"
#include "data/words.h"

namespace lastro {
namespace {

// The next evaluation items that fit into memory, and an index over them.
class ItemSlice {
 public:
  // Reads on from item `first`, counted over all evaluation sources.
  ItemSlice(const BuildState& state, std::int64_t first) : index_(memory_share(state.run, 16)) {
    std::int64_t number = 0;
    std::string text;
    CleanCounts ignored;
    std::vector<std::uint64_t> words;
    const auto visit = [&](const DocumentPiece& piece) {
      if (number++ < first || is_full_) return;
      clean_text(piece.bytes, text, ignored);
      hash_words(text, words);
      if (!index_.add(static_cast<std::int64_t>(ids_.size()), words)) {
        is_full_ = true;
        return;
      }
      ids_.push_back(
          {static_cast<std::uint32_t>(state.text.size()) + static_cast<std::uint32_t>(piece.source), 0, static_cast<std::uint64_t>(piece.document)});
    };
    SourceDocuments(state.evaluation, CutInto::items).read(0, 1, visit, [&] { return is_full_; });
    index_.seal();
    next_ = first + static_cast<std::int64_t>(ids_.size());
  }

  bool is_last() const { return !is_full_; }
  std::int64_t next() const { return next_; }

  // The first item that stands in a text; null when none does.
  const DocumentId* found_in(std::span<const std::uint64_t> words) const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    index_.search(words, [&](std::int64_t item) { first = std::min(first, item); });
    return first == std::numeric_limits<std::int64_t>::max() ? nullptr : &ids_[static_cast<std::size_t>(first)];
  }

 private:
  NgramIndex index_;
  std::vector<DocumentId> ids_;
  bool is_full_ = false;
  std::int64_t next_ = 0;
};

void search_documents(BuildState& state, const ItemSlice& items, Exchange<Removal>& removals) {
  std::vector<std::vector<std::uint64_t>> words(static_cast<std::size_t>(state.run.workers.size()));
  std::vector<const DocumentId*> found;
  std::int64_t done = 0;
  state.store.for_each_batch(state.batch_bytes(), [&](const DocumentBatch& batch) {
    found.assign(batch.size(), nullptr);
    for_each_parallel(state.run.workers, batch, [&](int worker, std::size_t i) {
      if (state.is_evaluation(batch.record(i).id)) return;
      hash_words(batch.text(i), words[worker]);
      found[i] = items.found_in(words[worker]);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!found[i]) continue;
      Removal removal;
      removal.id = batch.record(i).id;
      removal.of = *found[i];
      removal.digest = batch.record(i).digest;
      removal.rule = Rule::contaminated;
      removal.is_reported = state.settings.decontaminate == Decontaminate::report ? 1 : 0;
      removals.send(state.run.ranks.rank().value, removal);
    }
    done += static_cast<std::int64_t>(batch.size());
    state.tell_progress(done, "searched for evaluation items");
  });
}

}   // namespace

void decontaminate(BuildState& state) {
  if (state.evaluation.empty()) return;
  Exchange<Removal> removals(state.run, state.folder, "contaminated", state.run.ranks.size());
  together(state.run, [&] {
    std::int64_t next = 0;
    for (bool is_last = false; !is_last;) {
      const ItemSlice items(state, next);
      search_documents(state, items, removals);
      is_last = items.is_last();
      next = items.next();
    }
    removals.close();
  });
  together(state.run, [&] { take_out(state, removals); });
}

}   // namespace lastro
