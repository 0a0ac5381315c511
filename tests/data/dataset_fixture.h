#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/hash.h"
#include "core/json.h"
#include "data/build_dataset.h"
#include "data/dataset_layout.h"
#include "data/packed.h"
#include "data/source_documents.h"
#include "data/token_shards.h"
#include "domain/errors.h"
#include "infra/threads/threads_collective.h"
#include "infra/workers/worker_pool.h"
#include "support/no_checkpoints.h"
#include "support/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_files.h"

namespace lastro::test {

class EventKeeper final : public Tracker {
 public:
  void event(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    events.emplace_back(text);
  }
  void progress(std::int64_t done, std::int64_t total, std::string_view unit, std::string_view detail) override {
    const std::lock_guard lock(mutex_);
    progress_of[std::string(detail)] = std::to_string(done) + "/" + std::to_string(total) + " " + std::string(unit);
  }
  void metrics(const Node&) override {}
  std::vector<std::string> events;
  std::map<std::string, std::string> progress_of;   // the last of each phase

 private:
  std::mutex mutex_;
};

// How a dataset is made in a test.
struct Making {
  int ranks = 1;
  int workers = 1;
  std::int64_t memory_bytes = std::int64_t{256} << 20;
  std::uint64_t seed = 42;
  DatasetSettings settings;
};

// A folder with a byte-level tokenizer and room for datasets.
class DatasetBench {
 public:
  DatasetBench() : tokenizer_(sha256("tokenizer"), folder_ / "tokenizer") {
    std::filesystem::create_directories(tokenizer_.folder());
    BpeVocabulary vocabulary;
    vocabulary.special_tokens = standard_special_tokens();
    write_tokenizer_files(vocabulary, tokenizer_.folder());
  }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  // A source of one JSON row a text, over as many files as there are lists.
  Source rows(const std::string& name, const std::vector<std::vector<std::string>>& files) {
    Source source;
    source.name = name;
    source.format = SourceFormat::jsonl;
    for (const auto& texts : files) {
      std::string content;
      for (const std::string& text : texts) content += "{\"text\": \"" + text + "\"}\n";
      source.files.push_back(write_file(folder_ / (name + std::to_string(made_++) + ".jsonl"), content));
    }
    std::sort(source.files.begin(), source.files.end(), [](const SourceFile& a, const SourceFile& b) { return a.sha256 < b.sha256; });
    return source;
  }

  // Makes a dataset in a folder of its own; `result` is rank 0's.
  std::filesystem::path make(const Making& how, const Sources& text, const Sources& evaluation = {}) {
    const std::filesystem::path output = folder_ / ("dataset" + std::to_string(made_++)), work = output.string() + ".work";
    std::filesystem::create_directories(output);
    std::filesystem::create_directories(work);
    tracker.events.clear();
    run_as_ranks(how.ranks, [&](Collective& ranks) {
      WorkerPool workers(how.workers);
      NoCheckpoints checkpoints;
      SilentTracker silent;
      Tracker& heard = ranks.is_root() ? static_cast<Tracker&>(tracker) : silent;
      RunContext run{ranks, workers, heard, how.seed, {}, output, work, checkpoints, how.memory_bytes, [] { return false; }};
      const StageResult mine = build_dataset(run, how.settings, tokenizer_, text, evaluation);
      if (ranks.is_root()) summary = mine.summary;
    });
    EXPECT_TRUE(std::filesystem::is_empty(work));
    return output;
  }

  EventKeeper tracker;
  Node summary;

 private:
  TemporaryFolder folder_;
  Tokenizer tokenizer_;
  int made_ = 0;
};

// Every file of a folder with its content's digest.
inline std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[std::filesystem::relative(entry.path(), folder).string()] = sha256_file(entry.path()).hex();
  return files;
}

// The texts of a split, in order.
inline std::vector<std::string> texts_of(const std::filesystem::path& dataset, Split split) {
  const DatasetLayout layout = read_dataset_layout(dataset);
  const BpeTokenizer tokenizer = BpeTokenizer::load(dataset / "tokenizer");
  std::vector<std::string> texts;
  for_each_document(dataset, layout, split, [&](const TokenDocument& document) {
    texts.push_back(tokenizer.decode(document.tokens));
    EXPECT_EQ(texts.back().size(), static_cast<std::size_t>(document.text_bytes));
  });
  return texts;
}

inline std::vector<Node> ledger_of(const std::filesystem::path& dataset) {
  std::vector<Node> lines;
  std::ifstream stream(dataset / "removed.jsonl");
  for (std::string line; std::getline(stream, line);) lines.push_back(parse_json(line, "removed.jsonl"));
  return lines;
}

}   // namespace lastro::test
