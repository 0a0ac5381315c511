#include "text/incremental_decoder.h"

#include <gtest/gtest.h>

#include "text/utf8.h"
#include "trained.h"

namespace lastro {
namespace {

TEST(IncrementalDecoder, GivesInAllWhatTheWholeDecodes) {
  const BpeTokenizer tokenizer(trained_vocabulary());
  Dice dice(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<TokenId> ids;   // any ids: a model may say anything
    for (std::uint64_t length = dice.below(40); length > 0; --length) ids.push_back(static_cast<TokenId>(dice.below(tokenizer.vocabulary_size())));
    if (i % 2) ids = tokenizer.encode(odd_text(dice, 20));
    const auto special = i % 3 ? BpeTokenizer::Special::skip : BpeTokenizer::Special::show;

    IncrementalDecoder decoder(tokenizer, special);
    std::string text;
    for (const TokenId id : ids) {
      const std::string_view now = decoder.push(id);
      ASSERT_EQ(utf8_lossy(now), now) << "not whole characters";
      text += now;
    }
    text += decoder.finish();

    ASSERT_EQ(text, utf8_lossy(tokenizer.decode(ids, special)));
  }
}

TEST(IncrementalDecoder, HoldsBackOnlyTheBeginningOfACharacter) {
  const BpeTokenizer tokenizer(BpeVocabulary{standard_special_tokens(), {}});   // bytes alone
  IncrementalDecoder decoder(tokenizer);
  const auto ids = tokenizer.encode("a\u4E2D\xE4z");

  EXPECT_EQ(decoder.push(ids[0]), "a");
  EXPECT_EQ(decoder.push(ids[1]), "");
  EXPECT_EQ(decoder.push(ids[2]), "");
  EXPECT_EQ(decoder.push(ids[3]), "\u4E2D");
  EXPECT_EQ(decoder.push(ids[4]), "");
  EXPECT_EQ(decoder.push(ids[5]), "\uFFFDz");
  EXPECT_EQ(decoder.finish(), "");
}

}   // namespace
}   // namespace lastro
