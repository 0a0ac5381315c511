#include "data/near_duplicates.h"

#include <deque>
#include <optional>

#include "core/hash.h"
#include "data/hash64.h"
#include "data/minhash.h"
#include "data/together.h"
#include "data/words.h"

namespace lastro {
namespace {

// A document as bands and pairs carry it.
struct DocumentPlace {
  DocumentId id;
  std::uint64_t digest_head;
  std::uint64_t offset;
  std::uint32_t bytes;
  std::uint32_t home;
};

bool is_earlier(const DocumentPlace& a, const DocumentPlace& b) {
  if (a.id.source != b.id.source) return a.id.source < b.id.source;
  if (a.digest_head != b.digest_head) return a.digest_head < b.digest_head;
  return a.id < b.id;
}

struct BandRecord {
  std::uint64_t hash;
  DocumentPlace place;
  bool operator<(const BandRecord& other) const { return hash != other.hash ? hash < other.hash : is_earlier(place, other.place); }
};

struct PairRecord {
  DocumentPlace later;
  DocumentPlace earlier;
  bool operator<(const PairRecord& other) const {
    if (later.id != other.later.id) return later.id < other.later.id;
    return is_earlier(earlier, other.earlier);
  }
};

void send_bands(BuildState& state, Exchange<BandRecord>& exchange) {
  struct Scratch {
    std::vector<std::uint64_t> words, shingles;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(state.run.workers.size()));
  std::vector<std::optional<std::array<std::uint64_t, bands>>> hashes;
  std::int64_t done = 0;
  state.store.for_each_batch(state.batch_bytes(), [&](const DocumentBatch& batch) {
    hashes.assign(batch.size(), std::nullopt);
    for_each_parallel(state.run.workers, batch, [&](int worker, std::size_t i) {
      if (state.is_evaluation(batch.record(i).id)) return;
      auto& [words, shingles] = scratch[worker];
      hash_words(batch.text(i), words);
      shingles_of(words, shingles);
      if (!shingles.empty()) hashes[i] = band_hashes(shingles);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!hashes[i]) continue;
      const DocumentRecord& record = batch.record(i);
      for (const std::uint64_t hash : *hashes[i])
        exchange.send(static_cast<int>(hash % static_cast<std::uint64_t>(exchange.receivers())),
                      {hash, {record.id, head_of(record.digest), record.offset, record.bytes, record.home}});
    }
    done += static_cast<std::int64_t>(batch.size());
    state.tell_progress(done, "signatures");
  });
  exchange.close();
}

// Pairs the documents of a bucket as they come, earliest first.
class Bucket {
 public:
  explicit Bucket(Exchange<PairRecord>& pairs) : pairs_(pairs) {}
  void next(const BandRecord& record) {
    if (!first_ || first_->hash != record.hash) {
      first_ = record;
      recent_.clear();
      return;
    }
    send(record.place, first_->place);
    for (const DocumentPlace& earlier : recent_) send(record.place, earlier);
    recent_.push_back(record.place);
    if (recent_.size() > compared_neighbours) recent_.pop_front();
  }

 private:
  void send(const DocumentPlace& later, const DocumentPlace& earlier) {
    const std::uint64_t spread = mix64(later.id.document * 31 + later.id.source);
    pairs_.send(static_cast<int>(spread % static_cast<std::uint64_t>(pairs_.receivers())), {later, earlier});
  }

  Exchange<PairRecord>& pairs_;
  std::optional<BandRecord> first_;
  std::deque<DocumentPlace> recent_;
};

// Holds candidates against each other, all of a later document one after the other, until one is close enough.
class Verifier {
 public:
  Verifier(BuildState& state, Exchange<Removal>& removals) : state_(state), removals_(removals), texts_(state.folder, state.run.ranks.size()) {}

  void next(const PairRecord& pair) {
    if (!later_ || later_->id != pair.later.id) {
      later_ = pair.later;
      last_earlier_.reset();
      is_removed_ = false;
      load(pair.later, shingles_);
    }
    if (is_removed_ || last_earlier_ == pair.earlier.id) return;
    last_earlier_ = pair.earlier.id;
    load(pair.earlier, other_shingles_);
    const Overlap overlap = overlap_of(shingles_, other_shingles_);
    if (!overlap.reaches(state_.settings.dedup.similarity)) return;
    is_removed_ = true;
    Removal removal;
    removal.id = pair.later.id;
    removal.of = pair.earlier.id;
    removal.digest = digest_;
    removal.rule = Rule::near_duplicate;
    removal.common = static_cast<std::uint32_t>(overlap.common);
    removal.all = static_cast<std::uint32_t>(overlap.all);
    removals_.send(static_cast<int>(pair.later.home), removal);
  }

 private:
  void load(const DocumentPlace& place, std::vector<std::uint64_t>& shingles) {
    const std::string_view text = texts_.text(place.home, place.offset, place.bytes);
    if (&shingles == &shingles_) digest_ = sha256(text);
    hash_words(text, words_);
    shingles_of(words_, shingles);
  }

  BuildState& state_;
  Exchange<Removal>& removals_;
  TextReader texts_;
  std::optional<DocumentPlace> later_;
  std::optional<DocumentId> last_earlier_;
  bool is_removed_ = false;
  Digest digest_;
  std::vector<std::uint64_t> words_, shingles_, other_shingles_;
};

}   // namespace

void remove_near_duplicates(BuildState& state) {
  RunContext& run = state.run;
  const std::string rank = std::to_string(run.ranks.rank().value);
  const int owners = Exchange<BandRecord>::owners(run);
  Exchange<BandRecord> band_records(run, state.folder, "bands", owners);
  Exchange<PairRecord> pair_records(run, state.folder, "pairs", owners);
  Exchange<Removal> removals(run, state.folder, "near", run.ranks.size());
  together(run, [&] { send_bands(state, band_records); });
  together(run, [&] {
    SpillSorter<BandRecord> sorter(state.folder / ("bands-" + rank), memory_share(run, 16));
    band_records.receive([&](const BandRecord& record) { sorter.add(record); });
    Bucket bucket(pair_records);
    sorter.for_each([&](const BandRecord& record) { bucket.next(record); });
    pair_records.close();
  });
  together(run, [&] {
    SpillSorter<PairRecord> sorter(state.folder / ("pairs-" + rank), memory_share(run, 16));
    pair_records.receive([&](const PairRecord& record) { sorter.add(record); });
    Verifier verifier(state, removals);
    sorter.for_each([&](const PairRecord& record) { verifier.next(record); });
    removals.close();
  });
  together(run, [&] { take_out(state, removals); });
}

}   // namespace lastro
