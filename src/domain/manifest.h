#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/digest.h"
#include "domain/field.h"
#include "domain/gate.h"
#include "domain/node.h"
#include "domain/source.h"

namespace lastro {

constexpr auto enum_names(SourceFormat) {
  return std::array{EnumName{SourceFormat::text, "text"},       EnumName{SourceFormat::markdown, "markdown"},
                    EnumName{SourceFormat::jsonl, "jsonl"},     EnumName{SourceFormat::dictd, "dictd"},
                    EnumName{SourceFormat::stories, "stories"}, EnumName{SourceFormat::questions, "questions"}};
}

enum class GeneratedKind { stories, questions };
constexpr auto enum_names(GeneratedKind) {
  return std::array{EnumName{GeneratedKind::stories, "stories"}, EnumName{GeneratedKind::questions, "questions"}};
}
constexpr SourceFormat format_of(GeneratedKind kind) { return kind == GeneratedKind::stories ? SourceFormat::stories : SourceFormat::questions; }

// Text that the product makes itself.
struct GeneratedText {
  GeneratedKind kind = GeneratedKind::stories;
  std::int64_t seed = 1;
  std::int64_t bytes = 1000000;
  static constexpr std::tuple fields{
      field(
          "kind", &GeneratedText::kind,
          {.doc = "what is generated: small stories from a seeded grammar, or an exam: questions about such stories that hold no sentence of them"}),
      field("seed", &GeneratedText::seed, {.doc = "which of them", .min = 0}),
      field("bytes", &GeneratedText::bytes, {.doc = "how much text", .unit = "bytes", .min = 1, .max = 1e12}),
  };
};

// A text source as a manifest names it; its files are found and hashed later.
struct SourceSpec {
  std::vector<std::string> path;
  std::optional<SourceFormat> format;
  double weight = 1.0;
  std::string licence;
  std::string text_field = "text";
  double share = 1.0;
  std::optional<std::string> sha256;
  std::optional<GeneratedText> generated;

  std::string name;                        // its key in `sources`
  std::optional<Digest> expected_sha256;   // `sha256`, read
  Mark mark;                               // of its key
  std::vector<Mark> path_marks;            // of each of `path`
  Mark sha256_mark;

  static constexpr std::tuple fields{
      field("path", &SourceSpec::path,
            {.doc = "files: a path or a list of paths, with * and ? for several, from the working directory; .gz and .zst are undone",
             .one_or_many = true}),
      field("format", &SourceSpec::format,
            {.doc = "what is in the files; auto: by their names (.md, .jsonl, .dict.dz, else text)", .absent = "auto"}),
      field("weight", &SourceSpec::weight, {.doc = "share of the mixture, relative to the other sources", .above = 0, .max = 1e6}),
      field("licence", &SourceSpec::licence,
            {.doc = "a note for those who use the result; it stands in manifest.out.yaml, and changing it makes nothing anew"}),
      field("text_field", &SourceSpec::text_field, {.doc = "jsonl: the field that holds the text"}),
      field("share", &SourceSpec::share, {.doc = "part of the documents that is read at all, drawn by a hash of each", .above = 0, .max = 1}),
      field("sha256", &SourceSpec::sha256,
            {.doc = "the content's hash (several files: of their sorted hashes); auto: taken at plan, recorded, and checked by a replay",
             .absent = "auto"}),
      field("generated", &SourceSpec::generated, {.doc = "text made by the product itself, instead of path"}),
  };
};

struct Budget {
  std::optional<double> cost_usd;
  std::optional<double> hours;
  std::optional<double> memory_per_rank_gib;
  static constexpr std::tuple fields{
      field("cost_usd", &Budget::cost_usd,
            {.doc = "what the whole run may cost; checked at plan and after each stage", .unit = "US dollars", .min = 0}),
      field("hours", &Budget::hours, {.doc = "how long the whole run may take", .unit = "hours", .min = 0}),
      field("memory_per_rank_gib", &Budget::memory_per_rank_gib,
            {.doc = "memory of one rank; null: what the machine and its limits allow", .unit = "GiB", .above = 0}),
  };
};

struct Rates {
  double usd_per_device_hour = 0.0;
  std::optional<double> peak_tflops;
  double utilization = 0.4;
  static constexpr std::tuple fields{
      field("usd_per_device_hour", &Rates::usd_per_device_hour,
            {.doc = "price of one device (what a rank computes on)", .unit = "US dollars an hour", .min = 0}),
      field("peak_tflops", &Rates::peak_tflops,
            {.doc = "what a device can compute at most; auto: measured", .unit = "10^12 FLOP/s", .above = 0, .absent = "auto"}),
      field("utilization", &Rates::utilization, {.doc = "share of the peak that training reaches, for the estimate of time", .above = 0, .max = 1}),
  };
};

// What a stage's port is given: the name of an earlier stage, or of sources.
struct InputName {
  std::string name;
  Mark mark;
};
struct StageInput {
  std::string port;
  std::vector<InputName> names;
  bool is_list = false;            // written as a list
  bool has_unread_names = false;   // some are no names, which is told already
  Mark mark;                       // of the port's key
};

struct StageSpec {
  std::string name;   // "04_pretrain"
  std::string kind;
  std::string recipe;
  std::vector<StageInput> inputs;
  bool has_unread_inputs = false;          // they are no mapping, which is told already
  Node settings;                           // complete, with marks
  std::optional<Digest> expected_output;   // from `expect`, or from the record that is replayed
  bool is_replayed = false;                // it is from a record
  std::optional<Digest> recorded_key;      // the stage key that a record has beside it
  Mark mark;                               // of its key
  Mark kind_mark;
  Mark inputs_mark;   // where it lacks one
  Mark expected_mark;
};

// What is wanted: the manifest, with every default filled in.
struct Manifest {
  std::string file;
  bool is_edited_record = false;   // what it records holds for stages alone that are still as recorded
  std::string pipeline_version = "1.0.0";
  std::string name;
  std::int64_t seed = 42;
  std::string git_commit = "auto";
  std::vector<SourceSpec> sources;   // in the file's order
  bool has_unread_sources = false;   // they are no mapping, which is told already
  std::vector<StageSpec> stages;     // in the file's order
  std::vector<Gate> gates;
  Budget budget;
  Rates rates;
  std::optional<std::string> store;
  std::optional<std::string> reference;
  std::optional<std::string> baseline;
  Mark reference_mark, baseline_mark;

  // sources, stages and gates are mappings by name and stand for themselves.
  static constexpr std::tuple fields{
      field("pipeline_version", &Manifest::pipeline_version, {.doc = "the form of this file; this program reads 1.x"}),
      field("name", &Manifest::name, {.doc = "required; names the default run directory, runs/<name>"}),
      field("seed", &Manifest::seed, {.doc = "every random number of the run follows from it", .min = 0}),
      field("git_commit", &Manifest::git_commit, {.doc = "of this program's source; auto: found at plan and recorded"}),
      field("budget", &Manifest::budget, {.doc = "what the run may take; a plan that takes more is refused"}),
      field("rates", &Manifest::rates, {.doc = "what time is worth, for the estimate of cost"}),
      field("store", &Manifest::store, {.doc = "folder of the artifacts; null: runs/store"}),
      field("reference", &Manifest::reference,
            {.doc = "an earlier run directory, or its manifest.out.yaml, that the run is compared with at its end"}),
      field("baseline", &Manifest::baseline,
            {.doc = "what `baseline` means in a gate: an earlier report.json, run directory or manifest.out.yaml, or the digest of a report in the "
                    "store"}),
  };

  const SourceSpec* find_source(std::string_view name) const {
    for (const SourceSpec& source : sources)
      if (source.name == name) return &source;
    return nullptr;
  }
  const StageSpec* find_stage(std::string_view name) const {
    for (const StageSpec& stage : stages)
      if (stage.name == name) return &stage;
    return nullptr;
  }
};

}   // namespace lastro
