#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "domain/digest.h"

namespace lastro {

// A named text source of a manifest, resolved: its files are there and their contents are known by hash.
struct SourceFile {
  std::filesystem::path path;
  Digest sha256;                  // of the bytes on disk
  std::uint64_t bytes = 0;        // on disk
  std::uint64_t text_bytes = 0;   // about how many once it is unpacked; for plans, unknown to the ranks
};

// .gz and .zst are undone by themselves. The product makes stories and questions itself.
enum class SourceFormat { text, markdown, jsonl, dictd, stories, questions };
constexpr bool is_generated(SourceFormat format) { return format == SourceFormat::stories || format == SourceFormat::questions; }

struct Source {
  std::string name;
  SourceFormat format = SourceFormat::text;
  double weight = 1.0;   // share of the mixture, relative
  std::string text_field = "text";    // jsonl: the field that holds the text
  double share = 1.0;                 // part of the documents that is read at all, drawn by a hash of their content
  std::vector<SourceFile> files;      // sorted by content digest; empty for what is generated
  std::uint64_t generated_seed = 0;   // of what is generated: which, and how much
  std::uint64_t generated_bytes = 0;
};
using Sources = std::vector<Source>;

// "prose, exam".
inline std::string names_of(const Sources& sources) {
  std::string names;
  for (const Source& source : sources) names += (names.empty() ? "" : ", ") + source.name;
  return names;
}

}   // namespace lastro
