#include "text/vocabulary_files.h"

#include "core/json.h"
#include "domain/errors.h"
#include "text/pretoken_counts.h"
#include "text/pretokenizer.h"
#include "text/text_file.h"
#include "text/tokenizer.h"

namespace lastro {
namespace {

std::int64_t checked_sum(std::int64_t sum, std::uint64_t count, std::size_t times) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(count), static_cast<std::int64_t>(times), &product) ||
      __builtin_add_overflow(sum, product, &sum))
    throw ContractError("the counted text passes 2^63 - 1 bytes (it cannot be reported) count less text");
  return sum;
}

}   // namespace

VocabularyRequest read_vocabulary_request(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / vocabulary_file;
  const Node tree = parse_json(read_text_file(path), path.string());
  const auto refuse = [&](const std::string& why) -> ContractError {
    return ContractError(path.string() + " is not a vocabulary (" + why + ") make it again with stage vocabulary");
  };
  const Node *name = tree.find("pretokenizer"), *size = tree.find("size"), *smaller = tree.find("smaller_sizes"),
             *specials = tree.find("special_tokens");
  if (!name || !name->as<std::string>() || !size || !size->as<std::int64_t>() || !smaller || !specials) throw refuse("a field is missing");
  if (name->text() != pretokenizer_name()) throw refuse("it was counted with " + name->text() + ", and this program has " + pretokenizer_name());
  VocabularyRequest request;
  request.size = size->integer();
  for (const Node& item : smaller->items()) {
    if (!item.as<std::int64_t>()) throw refuse("a smaller size is no whole number");
    request.smaller_sizes.push_back(item.integer());
  }
  for (const Node& item : specials->items()) {
    if (!item.as<std::string>()) throw refuse("a special token is no text");
    request.special_tokens.push_back(item.text());
  }
  return request;
}

BpeTraining train_from_counts(const std::filesystem::path& counts, const VocabularyRequest& request, std::uint64_t min_count,
                              std::int64_t memory_limit_bytes, const std::function<void(std::int64_t)>& progress) {
  BpeTrainer trainer(static_cast<std::size_t>(request.size), request.special_tokens);
  for (PretokenCountsReader reader(counts); reader.next();) {
    trainer.add(reader.current().bytes, reader.current().count);
    if (memory_limit_bytes > 0 && trainer.memory_bytes() > memory_limit_bytes)
      throw BudgetError("learning merges needs more than " + std::to_string(trainer.memory_bytes() >> 20) + " MiB (the limit is " +
                        std::to_string(memory_limit_bytes >> 20) + " MiB; nothing is pruned) raise the limit, or set the vocabulary's sample_bytes");
  }
  return trainer.train(min_count, progress);
}

TextLength length_in_tokens(const std::filesystem::path& counts, const BpeVocabulary& vocabulary) {
  const BpeTokenizer tokenizer(vocabulary);
  BpeEncoder encoder(tokenizer);
  std::vector<TokenId> ids;
  TextLength length;
  for (PretokenCountsReader reader(counts); reader.next();) {
    ids.clear();
    encoder.encode_pretoken(reader.current().bytes, ids);
    length.bytes = checked_sum(length.bytes, reader.current().count, reader.current().bytes.size());
    length.tokens = checked_sum(length.tokens, reader.current().count, ids.size());
  }
  return length;
}

}   // namespace lastro
