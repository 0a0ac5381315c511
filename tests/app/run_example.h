#pragma once

#include "core/files.h"
#include "core/hash.h"
#include "core/store.h"
#include "core/yaml.h"
#include "domain/errors.h"
#include "infra/posix/folder_store.h"
#include "runtime/run_record.h"
#include "tests/support/temporary_folder.h"

namespace lastro {

// A run directory and a store as a run of two stages leaves them, without anything having been computed.
struct RunExample {
  TemporaryFolder folder;
  std::filesystem::path run = folder / "runs" / "example";
  FolderStore store{folder / "runs" / "store"};

  static Node tree_of(const std::string& yaml) {
    Problems problems;
    Node tree = parse_yaml(yaml, "example.yaml", problems);
    if (!problems.empty()) throw UsageError(problems.front().to_string());
    return tree;
  }

  // An artifact of one file in the store.
  ArtifactRecord put(ArtifactType type, const std::string& key, const std::string& content, const Node& summary,
                     const Node& measured = Node::mapping()) {
    const Digest stage_key = sha256(key);
    write_file(store.begin(stage_key) / "content.txt", content);
    ArtifactRecord made{.type = type, .files = {{"content.txt", content.size(), sha256(content)}}, .summary = summary};
    made.digest = digest_of_files(type, made.files);
    store.commit(made, {.key = stage_key, .artifact = made.digest, .measured = measured});
    return made;
  }

  // Enters an artifact as what a stage made.
  void enter(RunRecord& record, const std::string& stage, const std::string& key, const ArtifactRecord& made, double cost_usd,
             double wall_clock_s = 2) {
    record.stage_done(
        {.stage = stage, .key = sha256(key), .output = made.digest, .summary = made.summary, .wall_clock_s = wall_clock_s, .cost_usd = cost_usd});
  }

  // Trained and evaluated: 2.5 bits a byte where xz needs 2.0 and a 5-gram model 2.25.
  RunRecord finished(const std::string& gates, const std::string& more = "") {
    RunRecord record = RunRecord::begin(
        run, tree_of("name: example\nstages:\n  04_pretrain: {kind: pretrain}\n  10_evaluate: {kind: evaluate}\ngates: {" + gates + "}\n" + more));
    enter(record, "04_pretrain", "key of 04", put(ArtifactType::checkpoint, "key of 04", "weights", tree_of("{loss: 3.5, bits_per_byte: 9.0}")), 0.25,
          30);
    enter(
        record, "10_evaluate", "key of 10",
        put(ArtifactType::eval_report, "key of 10", "report", tree_of("{bits_per_byte: 2.5, perplexity: 20.0}"), tree_of("{xz: 2.0, ngram5: 2.25}")),
        0.5, 10);
    return record;
  }
};

}   // namespace lastro
