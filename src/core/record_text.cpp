#include "core/record_text.h"

#include "core/hash.h"
#include "core/record_keys.h"
#include "core/yaml.h"

namespace lastro {
namespace {

constexpr std::string_view about = "what a run made of its manifest. The last line is the hash of all lines above it";

// Where the line begins that has this key at the file's left edge.
std::size_t line_of(std::string_view text, std::string_view key) {
  const auto is_here = [&](std::size_t at) { return text.substr(at).starts_with(key) && text.substr(at + key.size()).starts_with(':'); };
  if (is_here(0)) return 0;
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    if (is_here(at + 1)) return at + 1;
  return text.npos;
}

std::string seal_line(std::string_view above) { return std::string(record_seal_key) + ": " + sha256(above).to_string() + "\n"; }

}   // namespace

std::string to_record_text(const Node& record) {
  Node head = Node::mapping();
  head.set(record_head_key, about);
  const std::string text = to_yaml_block(head) + to_yaml_block(record);
  return text + seal_line(text);
}

RecordState state_of_record(std::string_view text) {
  const std::size_t seal = line_of(text, record_seal_key);
  if (seal == text.npos) return line_of(text, record_head_key) == text.npos ? RecordState::none : RecordState::cut_off;
  const std::string_view line = text.substr(seal);
  const std::string wanted = seal_line(text.substr(0, seal));
  if (line == wanted) return RecordState::whole;
  return line.size() < wanted.size() ? RecordState::cut_off : RecordState::edited;
}

std::string_view words_for(RecordState state) {
  switch (state) {
    case RecordState::none: return "is no record of a run (its first and last line, record and record_sha256, are missing)";
    case RecordState::whole: return "is whole";
    case RecordState::cut_off: return "was cut off (its last line, record_sha256, is missing)";
    case RecordState::edited: return "was changed after it was written (record_sha256, its last line, is not the hash of what stands above it)";
  }
  return "";
}

}   // namespace lastro
