// A text: its bytes come back, the encoder that remembers agrees with the one that does not, no special token is made, segments have the same
// pre-tokens, and text that comes token by token is the whole text.
#include "fuzz_target.h"
#include "text/incremental_decoder.h"
#include "text/pretokenizer.h"
#include "text/utf8.h"
#include "trained.h"

namespace lastro {
namespace {

const BpeTokenizer& fuzzed_tokenizer() {
  static const BpeTokenizer tokenizer(trained_vocabulary());
  return tokenizer;
}

std::vector<std::string> pretokens_by_segments(std::string_view text, std::size_t segment_bytes) {
  std::vector<std::string> all;
  TextSegments segments(segment_bytes);
  segments.push(text, true,
                [&](std::string_view segment) { for_each_pretoken(segment, [&](std::string_view pretoken) { all.emplace_back(pretoken); }); });
  return all;
}

}   // namespace

void must_hold_for(std::string_view text) {
  const BpeTokenizer& tokenizer = fuzzed_tokenizer();

  const std::vector<TokenId> ids = tokenizer.encode(text);
  require(tokenizer.decode(ids) == text);

  BpeEncoder encoder(tokenizer);
  std::vector<TokenId> remembered;
  encoder.encode(text, remembered);
  require(remembered == ids);
  for (const TokenId id : ids) require(!tokenizer.is_special(id));

  IncrementalDecoder decoder(tokenizer);
  std::string streamed;
  for (const TokenId id : ids) streamed += decoder.push(id);
  streamed += decoder.finish();
  require(streamed == utf8_lossy(text));

  const auto whole = pretokens_by_segments(text, text.size() + 1);
  std::size_t longest = 0;
  for (const std::string& pretoken : whole) longest = std::max(longest, pretoken.size());
  if (longest < 16) require(pretokens_by_segments(text, 64) == whole);   // every 64 bytes hold a border then
}

std::vector<std::string> good_inputs() {
  Dice dice(7);
  return {odd_text(dice, 40), odd_text(dice, 120)};
}

}   // namespace lastro
