#include "stages/yardsticks.h"

#include <algorithm>
#include <numbers>

#include "core/xz.h"
#include "eval/held_out.h"
#include "eval/ngram.h"

namespace lastro {
namespace {

// A row as text, a line's end between documents: what someone would hand to a compressor.
std::string text_of(std::span<const TokenId> tokens, TokenId end_of_document, const BpeTokenizer& tokenizer) {
  std::string text;
  for (const TokenId token : tokens) {
    if (token == end_of_document)
      text += '\n';
    else
      text += tokenizer.bytes_of(token);
  }
  return text;
}

// The end of a row's text, at most so many bytes of it.
std::string end_of_text(std::span<const TokenId> tokens, std::int64_t most_bytes, TokenId end_of_document, const BpeTokenizer& tokenizer) {
  std::int64_t bytes = 0;
  std::size_t first = tokens.size();
  while (first > 0 && bytes < most_bytes) {
    const TokenId token = tokens[--first];
    bytes += token == end_of_document ? 1 : static_cast<std::int64_t>(tokenizer.bytes_of(token).size());
  }
  std::string text = text_of(tokens.subspan(first), end_of_document, tokenizer);
  if (bytes > most_bytes) text.erase(0, bytes - most_bytes);
  return text;
}

std::uint64_t xz_length(std::initializer_list<std::string_view> parts, const std::function<bool()>& is_asked_to_stop) {
  constexpr std::size_t piece_bytes = 256 * 1024;   // a quarter of a second
  XzLength length;
  for (std::string_view part : parts)
    for (; !part.empty(); part.remove_prefix(std::min(piece_bytes, part.size()))) {
      if (is_asked_to_stop()) return 0;
      length.update(part.substr(0, piece_bytes));
    }
  return length.finish();
}

// One after the other: an encoder takes up to 700 MB.
double xz_bits_per_byte(std::string_view train, std::string_view held, std::int64_t held_bytes, const std::function<bool()>& is_asked_to_stop) {
  const std::uint64_t train_alone = xz_length({train}, is_asked_to_stop), both = xz_length({train, held}, is_asked_to_stop);
  return static_cast<double>(both - train_alone) * 8.0 / static_cast<double>(held_bytes);
}

}   // namespace

Yardsticks measure_yardsticks(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, const BpeTokenizer& tokenizer,
                              const YardstickLimits& limits, const std::function<bool()>& is_asked_to_stop) {
  Yardsticks found;
  const TokenRow held = read_row(dataset_folder, layout, Split::held_out, limits.held_out_tokens);
  const std::string held_text = text_of(std::span(held).subspan(1), layout.end_of_document, tokenizer);
  const auto held_bytes = static_cast<std::int64_t>(held_text.size()) -
                          std::count(held.begin() + 1, held.end(), layout.end_of_document);   // without the line ends between documents
  if (held_bytes == 0 || (limits.xz_bytes == 0 && limits.ngram_tokens == 0)) return found;
  if (is_asked_to_stop()) return found;
  // A token stands for at least a byte, so the last `wanted` tokens hold what both need.
  const std::int64_t wanted = std::max(limits.xz_bytes, limits.ngram_tokens);
  std::vector<TokenId> train = read_last_tokens(dataset_folder, layout, Split::train, wanted);

  if (limits.ngram_tokens > 0) {
    const auto last = std::span(train).last(std::min<std::size_t>(train.size(), limits.ngram_tokens));
    const NgramModel model(last, layout.vocabulary_size);
    found.ngram_bits_per_byte = model.negative_log_likelihood(std::span(held).subspan(1)) / std::numbers::ln2 / static_cast<double>(held_bytes);
  }
  if (limits.xz_bytes > 0 && !is_asked_to_stop()) {
    const std::string text = end_of_text(train, limits.xz_bytes, layout.end_of_document, tokenizer);
    train = {};   // xz needs the room
    found.xz_bits_per_byte = xz_bits_per_byte(text, held_text, held_bytes, is_asked_to_stop);
  }
  return found;
}

}   // namespace lastro
