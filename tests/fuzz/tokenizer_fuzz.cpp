// What must hold for any bytes: they come back, the encoder that remembers agrees with the one that does not, no special token is made, segments
// have the same pre-tokens, and text that comes token by token is the whole text.
// With clang: -fsanitize=fuzzer,address. With g++ the test program fuzz_tokenizer runs it over a seeded corpus.
#include "text/incremental_decoder.h"
#include "text/pretokenizer.h"
#include "text/utf8.h"
#include "trained.h"

namespace {

using namespace lastro;

const BpeTokenizer& fuzzed_tokenizer() {
  static const BpeTokenizer tokenizer(trained_vocabulary());
  return tokenizer;
}

void require(bool holds) {
  if (!holds) __builtin_trap();
}

std::vector<std::string> pretokens_by_segments(std::string_view text, std::size_t segment_bytes) {
  std::vector<std::string> all;
  TextSegments segments(segment_bytes);
  segments.push(text, true,
                [&](std::string_view segment) { for_each_pretoken(segment, [&](std::string_view pretoken) { all.emplace_back(pretoken); }); });
  return all;
}

}   // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
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

  const auto whole = pretokens_by_segments(text, size + 1);
  std::size_t longest = 0;
  for (const std::string& pretoken : whole) longest = std::max(longest, pretoken.size());
  if (longest < 16) require(pretokens_by_segments(text, 64) == whole);   // every 64 bytes hold a border then
  return 0;
}
