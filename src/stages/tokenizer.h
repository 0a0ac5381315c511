#pragma once

#include "core/stage_registry.h"

namespace lastro {

struct TokenizerSettings {
  std::int64_t min_count = 2;
  static constexpr std::tuple fields{
      field(
          "min_count", &TokenizerSettings::min_count,
          {.doc = "a pair must stand side by side this often to be merged; with little text the vocabulary stays smaller than asked for", .min = 1}),
  };
};

// Stage 02. Learns byte-level BPE merges from a vocabulary's counts and writes the tokenizer as others read it. Its folder holds the files of
// text/tokenizer_files.h, the same for each smaller size in sizes/<size>/, and
//
//   report.json        sizes, and what the counted text takes in each: bytes, tokens, bytes_per_token
//   merge_counts.txt   line i: how often the pair of merge i stood side by side when it was merged
class TokenizerStage {
 public:
  static constexpr std::string_view kind = "tokenizer";
  static constexpr std::string_view doc = "learns byte-level BPE merges and writes the tokenizer";
  static constexpr int version = 1;
  using Settings = TokenizerSettings;
  struct Inputs {
    Vocabulary vocabulary;
    static constexpr std::tuple ports{port("vocabulary", &Inputs::vocabulary)};
  };
  using Output = Tokenizer;

  explicit TokenizerStage(Settings settings) : settings_(settings) {}
  StageResult run(RunContext& run, const Inputs& inputs) const;

  static Resources resources(const Settings& settings, const PlanFacts& facts);

 private:
  Node learn_and_write(RunContext& run, const std::filesystem::path& vocabulary) const;

  Settings settings_;
};

}   // namespace lastro
