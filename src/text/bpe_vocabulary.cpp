#include "text/bpe_vocabulary.h"

#include "domain/errors.h"
#include "text/byte_level.h"

namespace lastro {

std::vector<std::string> standard_special_tokens() {
  return {"<|endoftext|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|eot|>", "<|reserved|>"};
}

std::vector<std::string> token_bytes(const BpeVocabulary& vocabulary) {
  std::vector<std::string> tokens = vocabulary.special_tokens;
  tokens.reserve(vocabulary.size());
  for (const std::uint8_t byte : bytes_in_order()) tokens.push_back(std::string(1, static_cast<char>(byte)));
  for (const auto& [left, right] : vocabulary.merges) {
    if (left < vocabulary.first_byte() || right < vocabulary.first_byte() || left >= tokens.size() || right >= tokens.size())
      throw ContractError("merge " + std::to_string(tokens.size() - vocabulary.first_merge()) + " joins tokens " + std::to_string(left) + " and " +
                          std::to_string(right) +
                          " (a merge joins bytes or earlier merges: the vocabulary is damaged) make it again with stage vocabulary");
    tokens.push_back(tokens[left] + tokens[right]);
  }
  return tokens;
}

BpeVocabulary prefix_of(const BpeVocabulary& vocabulary, std::size_t size) {
  if (size < vocabulary.first_merge() || size > vocabulary.size())
    throw InternalError("a vocabulary of " + std::to_string(vocabulary.size()) + " has no prefix of " + std::to_string(size));
  BpeVocabulary prefix{vocabulary.special_tokens, vocabulary.merges};
  prefix.merges.resize(size - vocabulary.first_merge());
  return prefix;
}

}   // namespace lastro
