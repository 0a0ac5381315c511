#include "text/tokenizer_files.h"

#include <map>

#include "core/json.h"
#include "domain/errors.h"
#include "text/byte_level.h"
#include "text/merge_table.h"
#include "text/pretokenizer.h"
#include "text/text_file.h"

namespace lastro {
namespace {

Node object(Node::Mapping entries) { return Node(std::move(entries)); }

// Tokens as the files spell them, by id.
std::vector<std::string> spelled_tokens(const BpeVocabulary& vocabulary) {
  std::vector<std::string> tokens = token_bytes(vocabulary);
  for (std::size_t id = vocabulary.first_byte(); id < tokens.size(); ++id) tokens[id] = to_byte_level(tokens[id]);
  return tokens;
}

Node vocab_node(const std::vector<std::string>& tokens) {
  Node::Mapping vocab;   // filled directly: Node::set looks through all keys
  for (std::size_t id = 0; id < tokens.size(); ++id) vocab.push_back({tokens[id], Node(static_cast<std::int64_t>(id)), {}});
  return object(std::move(vocab));
}

// "left right": the older form, which every release reads; no spelled token holds a space.
std::vector<std::string> merge_lines(const BpeVocabulary& vocabulary, const std::vector<std::string>& tokens) {
  std::vector<std::string> lines;
  for (const auto& [left, right] : vocabulary.merges) lines.push_back(tokens[left] + " " + tokens[right]);
  return lines;
}

Node added_token(std::string_view text) {
  return object({{"content", text, {}},
                 {"single_word", false, {}},
                 {"lstrip", false, {}},
                 {"rstrip", false, {}},
                 {"normalized", false, {}},
                 {"special", true, {}}});
}

Node tokenizer_node(const BpeVocabulary& vocabulary, const std::vector<std::string>& tokens) {
  Node::Sequence added, merges;
  for (std::size_t id = 0; id < vocabulary.special_tokens.size(); ++id) {
    Node::Mapping entries = added_token(vocabulary.special_tokens[id]).entries();
    entries.insert(entries.begin(), {"id", Node(static_cast<std::int64_t>(id)), {}});
    added.push_back(object(std::move(entries)));
  }
  for (std::string& line : merge_lines(vocabulary, tokens)) merges.push_back(Node(std::move(line)));
  const Node split = object(
      {{"type", "Split", {}}, {"pattern", object({{"Regex", pretoken_pattern(), {}}}), {}}, {"behavior", "Isolated", {}}, {"invert", false, {}}});
  const Node bytes = object({{"type", "ByteLevel", {}}, {"add_prefix_space", false, {}}, {"trim_offsets", true, {}}, {"use_regex", false, {}}});
  return object({
      {"version", "1.0", {}},
      {"truncation", nullptr, {}},
      {"padding", nullptr, {}},
      {"added_tokens", Node(std::move(added)), {}},
      {"normalizer", nullptr, {}},
      {"pre_tokenizer", object({{"type", "Sequence", {}}, {"pretokenizers", Node(Node::Sequence{split, bytes}), {}}}), {}},
      {"post_processor", nullptr, {}},
      {"decoder", bytes, {}},
      {"model",
       object({{"type", "BPE", {}},
               {"dropout", nullptr, {}},
               {"unk_token", nullptr, {}},
               {"continuing_subword_prefix", nullptr, {}},
               {"end_of_word_suffix", nullptr, {}},
               {"fuse_unk", false, {}},
               {"byte_fallback", false, {}},
               {"ignore_merges", false, {}},
               {"vocab", vocab_node(tokens), {}},
               {"merges", Node(std::move(merges)), {}}}),
       {}},
  });
}

Node config_node(const BpeVocabulary& vocabulary) {
  Node decoder = Node::mapping();
  Node::Sequence others;
  for (std::size_t id = 0; id < vocabulary.special_tokens.size(); ++id) {
    decoder.set(std::to_string(id), added_token(vocabulary.special_tokens[id]));
    if (id >= 2) others.push_back(Node(vocabulary.special_tokens[id]));
  }
  Node config = object({{"tokenizer_class", "PreTrainedTokenizerFast", {}},
                        {"added_tokens_decoder", std::move(decoder), {}},
                        {"additional_special_tokens", Node(std::move(others)), {}},
                        {"bos_token", nullptr, {}},
                        {"eos_token", "<|endoftext|>", {}},
                        {"unk_token", nullptr, {}},
                        {"clean_up_tokenization_spaces", false, {}},
                        {"model_input_names", Node(Node::Sequence{"input_ids", "attention_mask"}), {}}});
  if (vocabulary.special_tokens.size() > 1) config.set("pad_token", vocabulary.special_tokens[1]);
  return config;
}

Node tiktoken_node(const BpeVocabulary& vocabulary) {
  Node specials = Node::mapping();
  for (std::size_t id = 0; id < vocabulary.special_tokens.size(); ++id) specials.set(vocabulary.special_tokens[id], static_cast<std::int64_t>(id));
  return object({{"name", "lastro-" + std::to_string(vocabulary.size()), {}},
                 {"pat_str", pretoken_pattern(), {}},
                 {"special_tokens", std::move(specials), {}},
                 {"explicit_n_vocab", static_cast<std::int64_t>(vocabulary.size()), {}}});
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < taken ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= taken ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string tiktoken_lines(const BpeVocabulary& vocabulary) {
  const std::vector<std::string> tokens = token_bytes(vocabulary);
  std::string lines;
  for (std::size_t id = vocabulary.first_byte(); id < tokens.size(); ++id) lines += base64(tokens[id]) + " " + std::to_string(id) + "\n";
  return lines;
}

// ---- Reading

class TokenizerFile {
 public:
  explicit TokenizerFile(const std::filesystem::path& path) : path_(path), tree_(parse_json(read_text_file(path), path.string())) {}

  BpeVocabulary vocabulary() const {
    expect_pretokenizer();
    const std::vector<std::string> tokens = tokens_by_id();
    BpeVocabulary vocabulary;
    for (const Node& added : in(tree_, "added_tokens").items()) {
      const std::string name = text_in(added, "content");
      const std::size_t id = vocabulary.special_tokens.size();
      if (id >= tokens.size() || tokens[id] != name) refuse("special token " + name + " is not token " + std::to_string(id));
      vocabulary.special_tokens.push_back(name);
    }
    if (vocabulary.special_tokens.empty()) refuse("it has no special tokens");
    vocabulary.merges = merges(tokens);
    expect_same_tokens(vocabulary, tokens);
    return vocabulary;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ContractError(path_.string() + " is not a tokenizer of Lastro (" + why + ") make it again with stage tokenizer");
  }
  const Node& in(const Node& node, std::string_view key) const {
    if (const Node* found = node.find(key)) return *found;
    refuse("'" + std::string(key) + "' is missing");
  }
  std::string text_in(const Node& node, std::string_view key) const {
    if (const auto* text = in(node, key).as<std::string>()) return *text;
    refuse("'" + std::string(key) + "' is not text");
  }

  void expect_pretokenizer() const {
    const auto& steps = in(in(tree_, "pre_tokenizer"), "pretokenizers").items();
    if (steps.size() != 2) refuse("its pre-tokenisation is another");
    if (text_in(in(steps[0], "pattern"), "Regex") != pretoken_pattern())
      refuse("its pre-tokenisation is not " + pretokenizer_name() + ", the only one this program has");
  }

  std::vector<std::string> tokens_by_id() const {
    const auto& entries = in(in(tree_, "model"), "vocab").entries();
    std::vector<std::string> tokens(entries.size());
    std::vector<bool> seen(entries.size(), false);
    for (const Entry& entry : entries) {
      const auto* id = entry.value.as<std::int64_t>();
      if (!id || *id < 0 || static_cast<std::size_t>(*id) >= tokens.size() || seen[*id]) refuse("the id of token '" + entry.key + "' is wrong");
      seen[*id] = true;
      tokens[*id] = entry.key;
    }
    return tokens;
  }

  std::vector<BpeVocabulary::Merge> merges(const std::vector<std::string>& tokens) const {
    std::map<std::string_view, TokenId> id_of;
    for (std::size_t id = 0; id < tokens.size(); ++id) id_of.emplace(tokens[id], static_cast<TokenId>(id));
    const auto id_of_text = [&](std::string_view text) {
      const auto found = id_of.find(text);
      if (found == id_of.end()) refuse("a merge names '" + std::string(text) + "', which is no token");
      return found->second;
    };
    std::vector<BpeVocabulary::Merge> merges;
    for (const Node& merge : in(in(tree_, "model"), "merges").items()) {
      if (merge.items().size() == 2 && merge.items()[0].as<std::string>() && merge.items()[1].as<std::string>()) {   // the newer form
        merges.push_back({id_of_text(merge.items()[0].text()), id_of_text(merge.items()[1].text())});
        continue;
      }
      const auto* line = merge.as<std::string>();
      const std::size_t space = line ? line->find(' ') : std::string::npos;
      if (space == std::string::npos) refuse("merge " + std::to_string(merges.size()) + " is no pair");
      merges.push_back({id_of_text(std::string_view(*line).substr(0, space)), id_of_text(std::string_view(*line).substr(space + 1))});
    }
    return merges;
  }

  void expect_same_tokens(const BpeVocabulary& vocabulary, const std::vector<std::string>& tokens) const {
    if (vocabulary.size() != tokens.size())
      refuse("it has " + std::to_string(tokens.size()) + " tokens, and its merges make " + std::to_string(vocabulary.size()));
    const std::vector<std::string> unmerged = spelled_tokens({vocabulary.special_tokens, {}});
    for (std::size_t id = 0; id < tokens.size(); ++id) {
      const std::string wanted = id < unmerged.size() ? unmerged[id] : joined(vocabulary, id, tokens);
      if (tokens[id] != wanted) refuse("token " + std::to_string(id) + " is '" + tokens[id] + "', and its merges make '" + wanted + "'");
    }
  }

  // From the two tokens as the file has them: made from bytes on, sixty merges that double would be 2^60 bytes.
  std::string joined(const BpeVocabulary& vocabulary, std::size_t id, const std::vector<std::string>& tokens) const {
    const auto [left, right] = vocabulary.merges[id - vocabulary.first_merge()];
    if (left < vocabulary.first_byte() || right < vocabulary.first_byte() || left >= id || right >= id)
      refuse("token " + std::to_string(id) + " joins what is no byte and no earlier merge");
    return tokens[left] + tokens[right];
  }

  std::filesystem::path path_;
  Node tree_;
};

}   // namespace

void write_tokenizer_files(const BpeVocabulary& vocabulary, const std::filesystem::path& folder) {
  if (const auto token = first_unreachable(vocabulary))
    throw ContractError(
        "token " + std::to_string(*token) +
        " is not what its own bytes merge to (Hugging Face and tiktoken would encode it differently: these merges are no result of training) "
        "make the vocabulary again with its stage");
  std::filesystem::create_directories(folder);
  const std::vector<std::string> tokens = spelled_tokens(vocabulary);
  std::string merges = "#version: 0.2\n";
  for (const std::string& line : merge_lines(vocabulary, tokens)) merges += line + "\n";
  write_text_file(folder / "tokenizer.json", to_json_pretty(tokenizer_node(vocabulary, tokens)) + "\n");
  write_text_file(folder / "tokenizer_config.json", to_json_pretty(config_node(vocabulary)) + "\n");
  write_text_file(folder / "vocab.json", to_json(vocab_node(tokens)) + "\n");
  write_text_file(folder / "merges.txt", merges);
  write_text_file(folder / "tokenizer.tiktoken", tiktoken_lines(vocabulary));
  write_text_file(folder / "tokenizer.tiktoken.json", to_json_pretty(tiktoken_node(vocabulary)) + "\n");
}

BpeVocabulary read_tokenizer_file(const std::filesystem::path& folder) { return TokenizerFile(folder / "tokenizer.json").vocabulary(); }

}   // namespace lastro
