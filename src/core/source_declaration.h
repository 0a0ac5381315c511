#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "core/settings.h"
#include "domain/source.h"

namespace lastro {

constexpr auto enum_names(SourceFormat) {
  return std::array{EnumName<SourceFormat>{SourceFormat::text, "text"}, EnumName<SourceFormat>{SourceFormat::markdown, "markdown"},
                    EnumName<SourceFormat>{SourceFormat::jsonl, "jsonl"}, EnumName<SourceFormat>{SourceFormat::dictd, "dictd"},
                    EnumName<SourceFormat>{SourceFormat::stories, "stories"}};
}

// A text source as a manifest names it. data/resolve_source.h finds its files.
struct SourceDeclaration {
  std::string path;
  std::optional<SourceFormat> format;
  double weight = 1.0;
  std::string licence;
  std::string text_field = "text";
  double share = 1.0;
  std::optional<std::string> sha256;
  std::int64_t seed = 0;
  std::int64_t bytes = 1000000;
  bool operator==(const SourceDeclaration&) const = default;

  static constexpr std::tuple fields{
      field("path", &SourceDeclaration::path, {.doc = "the file, or a pattern with * and ? for several; relative to the working directory. Files that gzip or zstd packed are unpacked"}),
      field("format", &SourceDeclaration::format,
            {.doc = "what is inside; auto: by the file's name (.txt .md .jsonl .dict, before .gz .zst .dz). stories: text that lastro makes itself", .absent = "auto"}),
      field("weight", &SourceDeclaration::weight, {.doc = "share of the training mixture, relative to the other sources", .min = 0.0, .max = 1e9}),
      field("licence", &SourceDeclaration::licence, {.doc = "a note that goes into the dataset", .bears = Bears::result}),
      field("text_field", &SourceDeclaration::text_field, {.doc = "jsonl: the field of a row that holds the text"}),
      field("share", &SourceDeclaration::share, {.doc = "part of the documents that is read at all, drawn by a hash of each", .above = 0.0, .max = 1.0}),
      field("sha256", &SourceDeclaration::sha256,
            {.doc = "digest that the file must have (of several: over their sorted digests); auto: found at plan and recorded", .absent = "auto"}),
      field("seed", &SourceDeclaration::seed, {.doc = "stories: which", .min = 0}),
      field("bytes", &SourceDeclaration::bytes, {.doc = "stories: about how much text", .unit = "bytes", .min = 1, .max = 1e12})};
};

}  // namespace lastro
