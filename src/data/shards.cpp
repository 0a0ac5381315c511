#include "data/shards.h"

#include <array>
#include <optional>
#include <string>

#include "core/hash.h"
#include "data/together.h"
#include "domain/errors.h"

namespace lastro {
namespace {

// A tokenised document: where its tokens lie among those of rank `home`.
struct TokenRecord {
  DocumentId id;
  std::uint64_t first_token = 0;
  std::uint32_t tokens = 0;   // the end-of-document token included
  std::uint32_t text_bytes = 0;
  std::uint32_t split = 0;
  std::uint32_t home = 0;
  bool operator<(const TokenRecord& other) const { return id < other.id; }
};

std::filesystem::path tokens_path(const BuildState& state, int rank) { return state.folder / ("tokens-" + std::to_string(rank)); }
std::filesystem::path records_path(const BuildState& state, int rank) { return state.folder / ("tokenised-" + std::to_string(rank)); }

void append_tokens(std::span<const TokenId> tokens, int token_bytes, std::vector<std::byte>& bytes) {
  for (const TokenId token : tokens)
    for (int i = 0; i < token_bytes; ++i) bytes.push_back(static_cast<std::byte>(token >> 8 * i & 0xFF));
}

// Tokenises this rank's documents into a file of tokens and one of records, both in the corpus's order.
class Tokenisation {
 public:
  Tokenisation(BuildState& state, const BpeTokenizer& tokenizer, const HeldOutRule& held_out, int token_bytes)
      : state_(state),
        tokenizer_(tokenizer),
        held_out_(held_out),
        token_bytes_(token_bytes),
        tokens_(tokens_path(state, state.run.ranks.rank().value)),
        records_(records_path(state, state.run.ranks.rank().value)) {
    for (int worker = 0; worker < state.run.workers.size(); ++worker) encoders_.emplace_back(tokenizer);
  }

  void run() {
    state_.store.for_each_batch(state_.batch_bytes() / 4, [&](const DocumentBatch& batch) {   // tokens take more room than their text
      std::vector<std::vector<TokenId>> ids(batch.size());
      for_each_parallel(state_.run.workers, batch, [&](int worker, std::size_t i) {
        encoders_[worker].encode(batch.text(i), ids[i]);
        ids[i].push_back(tokenizer_.end_of_text());
      });
      for (std::size_t i = 0; i < batch.size(); ++i) keep(batch.record(i), ids[i]);
      done_ += static_cast<std::int64_t>(batch.size());
      state_.tell_progress(done_, "tokenised");
    });
    tokens_.close();
    records_.close();
  }

 private:
  void keep(const DocumentRecord& document, const std::vector<TokenId>& ids) {
    TokenRecord record;
    record.id = document.id;
    record.first_token = tokens_.size() / static_cast<std::uint64_t>(token_bytes_);
    record.tokens = static_cast<std::uint32_t>(ids.size());
    record.text_bytes = document.bytes;
    record.split = static_cast<std::uint32_t>(split_of(document));
    record.home = static_cast<std::uint32_t>(state_.run.ranks.rank().value);
    records_.append(std::as_bytes(std::span(&record, 1)));
    bytes_.clear();
    append_tokens(ids, token_bytes_, bytes_);
    tokens_.append(bytes_);
  }

  Split split_of(const DocumentRecord& document) const {
    if (state_.is_evaluation(document.id)) return Split::evaluation;
    return held_out_.holds_out(document.digest) ? Split::held_out : Split::train;
  }

  BuildState& state_;
  const BpeTokenizer& tokenizer_;
  const HeldOutRule& held_out_;
  int token_bytes_;
  std::vector<BpeEncoder> encoders_;
  std::vector<std::byte> bytes_;
  WriteFile tokens_;
  WriteFile records_;
  std::int64_t done_ = 0;
};

// A shard on its way to disk; the files exist only on the rank that writes them.
class OpenShard {
 public:
  OpenShard(Shard shard, const std::filesystem::path& output, bool is_mine) : shard_(std::move(shard)) {
    if (is_mine) files_.emplace(output, shard_.name);
  }

  const Shard& shard() const { return shard_; }

  // `bytes` are the document's tokens; needed only where wants_tokens().
  bool wants_tokens() const { return files_.has_value(); }
  void add(const TokenRecord& record, std::span<const std::byte> bytes) {
    shard_.tokens += record.tokens;
    shard_.text_bytes += record.text_bytes;
    ++shard_.documents;
    if (!files_) return;
    files_->tokens.append(bytes);
    files_->tokens_hash.update(bytes);
    std::array<std::byte, 16> entry;
    for (int i = 0; i < 8; ++i) {
      entry[i] = static_cast<std::byte>(shard_.tokens >> 8 * i & 0xFF);
      entry[8 + i] = static_cast<std::byte>(shard_.text_bytes >> 8 * i & 0xFF);
    }
    files_->index.append(entry);
    files_->index_hash.update(entry);
  }

  Shard close() {
    if (files_) {
      files_->tokens.close();
      files_->index.close();
      shard_.tokens_sha256 = files_->tokens_hash.finish();
      shard_.index_sha256 = files_->index_hash.finish();
    }
    return shard_;
  }

 private:
  struct Files {
    Files(const std::filesystem::path& output, const std::string& name) : tokens(output / (name + ".tokens")), index(output / (name + ".index")) {}
    WriteFile tokens;
    WriteFile index;
    Sha256 tokens_hash;
    Sha256 index_hash;
  };
  Shard shard_;
  std::optional<Files> files_;
};

std::string numbered(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

// Goes through all ranks' documents in the corpus's order and puts them into shards; every rank sees the same, and writes its own.
class Sharding {
 public:
  Sharding(BuildState& state, DatasetLayout& layout) : state_(state), layout_(layout), tokens_(static_cast<std::size_t>(state.run.ranks.size())) {}

  void run() {
    const int ranks = state_.run.ranks.size();
    std::vector<ReadFile> files;
    for (int rank = 0; rank < ranks; ++rank) files.emplace_back(records_path(state_, rank));
    const auto buffer_bytes = static_cast<std::size_t>(std::min<std::int64_t>(memory_share(state_.run, 8) / ranks, 256 * 1024));
    std::vector<RecordReader<TokenRecord>> readers;
    for (const ReadFile& file : files) readers.emplace_back(file, 0, file.size() / sizeof(TokenRecord), buffer_bytes);
    merge_ascending(readers, [&](const TokenRecord& record) { add(record); });
    close_all();
  }

 private:
  std::vector<ShardedSource>& sources_of(Split split) {
    return split == Split::train ? layout_.train : split == Split::held_out ? layout_.held_out : layout_.evaluation;
  }

  void add(const TokenRecord& record) {
    if (record.id.source != source_) close_all();
    source_ = record.id.source;
    auto& open = open_[record.split];
    if (!open) open.emplace(next_shard(static_cast<Split>(record.split)), state_.run.output, is_my_turn());
    bytes_.clear();
    if (open->wants_tokens()) read_tokens(record);
    open->add(record, bytes_);
    if (open->shard().tokens >= state_.settings.shard_tokens) close(static_cast<Split>(record.split));
  }

  std::size_t place_of_source() const { return source_ < state_.text.size() ? source_ : source_ - state_.text.size(); }

  Shard next_shard(Split split) {
    Shard shard;
    const ShardedSource& source = sources_of(split)[place_of_source()];
    shard.name = std::string(name_of(split)) + "/" + source.source + "-" + numbered(source.shards.size());
    return shard;
  }

  bool is_my_turn() { return static_cast<int>(turn_++ % state_.run.ranks.size()) == state_.run.ranks.rank().value; }

  void read_tokens(const TokenRecord& record) {
    auto& file = tokens_[record.home];
    if (!file) file.emplace(tokens_path(state_, static_cast<int>(record.home)));
    bytes_.resize(std::size_t{record.tokens} * static_cast<std::size_t>(layout_.token_bytes));
    file->read_exactly(record.first_token * static_cast<std::uint64_t>(layout_.token_bytes), bytes_);
  }

  void close(Split split) {
    auto& open = open_[static_cast<std::size_t>(split)];
    if (!open) return;
    sources_of(split)[place_of_source()].shards.push_back(open->close());
    open.reset();
  }
  void close_all() {
    for (const Split split : {Split::train, Split::held_out, Split::evaluation}) close(split);
  }

  BuildState& state_;
  DatasetLayout& layout_;
  std::vector<std::optional<ReadFile>> tokens_;
  std::uint32_t source_ = 0;
  std::array<std::optional<OpenShard>, 3> open_;
  std::vector<std::byte> bytes_;
  std::int64_t turn_ = 0;
};

// Every shard's digests are known to the rank that wrote it; the others have zeros there. Takes the one that is not zero.
void share_digests(Collective& ranks, DatasetLayout& layout) {
  std::vector<Shard*> shards;
  for (auto* sources : {&layout.train, &layout.held_out, &layout.evaluation})
    for (ShardedSource& source : *sources)
      for (Shard& shard : source.shards) shards.push_back(&shard);
  std::vector<std::int64_t> words;
  for (const Shard* shard : shards)
    for (const Digest* digest : {&shard->tokens_sha256, &shard->index_sha256})
      for (int w = 0; w < 8; ++w)
        words.push_back(digest->bytes[4 * w] | digest->bytes[4 * w + 1] << 8 | digest->bytes[4 * w + 2] << 16 |
                        std::int64_t{digest->bytes[4 * w + 3]} << 24);
  ranks.all_sum(words);
  std::size_t next = 0;
  for (Shard* shard : shards)
    for (Digest* digest : {&shard->tokens_sha256, &shard->index_sha256})
      for (int w = 0; w < 8; ++w, ++next)
        for (int i = 0; i < 4; ++i) digest->bytes[4 * w + i] = static_cast<std::uint8_t>(words[next] >> 8 * i & 0xFF);
}

DatasetLayout empty_layout(const BuildState& state, const BpeTokenizer& tokenizer) {
  DatasetLayout layout;
  layout.vocabulary_size = static_cast<std::int64_t>(tokenizer.vocabulary_size());
  layout.token_bytes = tokenizer.vocabulary_size() <= 65536 ? 2 : 4;
  layout.end_of_document = tokenizer.end_of_text();
  for (const Source& source : state.text) {
    layout.train.push_back({source.name, source.weight, {}});
    layout.held_out.push_back({source.name, source.weight, {}});
  }
  for (const Source& source : state.evaluation) layout.evaluation.push_back({source.name, source.weight, {}});
  return layout;
}

}   // namespace

DatasetLayout write_shards(BuildState& state, const BpeTokenizer& tokenizer, const HeldOutRule& held_out) {
  DatasetLayout layout = empty_layout(state, tokenizer);
  together(state.run, [&] {
    if (state.run.ranks.is_root())
      for (const Split split : {Split::train, Split::held_out, Split::evaluation})
        if (!layout.of(split).empty()) std::filesystem::create_directories(state.run.output / name_of(split));
    Tokenisation(state, tokenizer, held_out, layout.token_bytes).run();
  });
  together(state.run, [&] { Sharding(state, layout).run(); });
  share_digests(state.run.ranks, layout);
  return layout;
}

}   // namespace lastro
