#include "text/tokenizer.h"

#include <gmock/gmock.h>

#include <thread>

#include "domain/errors.h"
#include "naive_bpe.h"
#include "text/merge_table.h"
#include "trained.h"

namespace lastro {
namespace {

std::vector<TokenId> naive_encode_text(const BpeVocabulary& vocabulary, std::string_view text) {
  std::vector<TokenId> ids;
  for_each_pretoken(text, [&](std::string_view pretoken) {
    for (const TokenId id : naive_encode(vocabulary, pretoken)) ids.push_back(id);
  });
  return ids;
}

TEST(BpeTokenizer, EncodesAsTheDefinitionSays) {
  const BpeTokenizer tokenizer(trained_vocabulary());
  BpeEncoder encoder(tokenizer);
  Dice dice(1);
  for (int i = 0; i < 400; ++i) {
    const std::string text = odd_text(dice, dice.below(30));

    const auto ids = tokenizer.encode(text);

    ASSERT_EQ(ids, naive_encode_text(tokenizer.vocabulary(), text)) << testing::PrintToString(text);
    std::vector<TokenId> remembered;
    encoder.encode(text, remembered);
    ASSERT_EQ(remembered, ids);
  }
}

TEST(BpeTokenizer, AgreesWithTheWayOfTiktoken) {
  const BpeTokenizer tokenizer(trained_vocabulary());
  Dice dice(2);
  for (int i = 0; i < 200; ++i) {
    for_each_pretoken(odd_text(dice, 20), [&](std::string_view pretoken) {
      ASSERT_EQ(naive_tiktoken_encode(tokenizer.vocabulary(), pretoken), naive_encode(tokenizer.vocabulary(), pretoken));
    });
  }
}

TEST(BpeTokenizer, GivesAnyBytesBack) {
  const BpeTokenizer tokenizer(trained_vocabulary());
  BpeEncoder encoder(tokenizer);
  Dice dice(3);
  for (int i = 0; i < 500; ++i) {
    std::string bytes;
    for (std::uint64_t length = dice.below(200); length > 0; --length) bytes += static_cast<char>(dice.below(256));
    std::vector<TokenId> ids;

    encoder.encode(bytes, ids);

    ASSERT_EQ(tokenizer.decode(ids), bytes);
  }
  const std::string zeros(1000, '\0');
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(zeros)), zeros);
}

TEST(BpeTokenizer, NeverMakesASpecialTokenFromText) {
  const BpeTokenizer tokenizer(trained_vocabulary());
  for (const std::string& special : tokenizer.vocabulary().special_tokens)
    for (const TokenId id : tokenizer.encode("x" + special + " " + special + special)) EXPECT_FALSE(tokenizer.is_special(id)) << special;
}

TEST(BpeTokenizer, KnowsItsSpecialTokens) {
  const BpeTokenizer tokenizer(trained_vocabulary());

  EXPECT_EQ(tokenizer.special("<|endoftext|>"), tokenizer.end_of_text());
  EXPECT_TRUE(tokenizer.special("<|user|>").has_value());
  EXPECT_EQ(tokenizer.special("user"), std::nullopt);
  std::vector<TokenId> ids = tokenizer.encode("the");
  ids.push_back(tokenizer.end_of_text());
  EXPECT_EQ(tokenizer.decode(ids), "the");
  EXPECT_EQ(tokenizer.decode(ids, BpeTokenizer::Special::show), "the<|endoftext|>");
}

TEST(BpeTokenizer, RefusesAnIdItDoesNotHave) {
  const BpeTokenizer tokenizer(trained_vocabulary());
  const TokenId beyond[] = {static_cast<TokenId>(tokenizer.vocabulary_size())};

  EXPECT_THAT([&] { tokenizer.decode(beyond); }, testing::ThrowsMessage<ContractError>(testing::EndsWith(") take the tokenizer that made the ids")));
}

TEST(BpeTokenizer, EncodesTenMegabytesOfOneLetter) {   // a quadratic merge would take days
  BpeVocabulary vocabulary{standard_special_tokens(), {}};
  TokenId last = tokens_of_bytes(vocabulary, "a")[0];
  for (int i = 0; i < 6; ++i) {
    vocabulary.merges.push_back({last, last});
    last = static_cast<TokenId>(vocabulary.size()) - 1;
  }
  const BpeTokenizer tokenizer(vocabulary);
  const std::string text((std::size_t{10} << 20) + 5, 'a');

  const auto ids = tokenizer.encode(text);

  ASSERT_EQ(ids.size(), (std::size_t{10} << 20) / 64 + 2);   // 64 letters each, then 4 and 1
  EXPECT_EQ(ids[0], last);
  EXPECT_EQ(tokenizer.decode(ids), text);
}

TEST(BpeTokenizer, MergesLongPretokensAsShortOnes) {
  const BpeVocabulary vocabulary = trained_vocabulary();
  const BpeTokenizer tokenizer(vocabulary);
  Dice dice(4);
  for (int i = 0; i < 60; ++i) {
    std::string word;
    for (std::uint64_t length = 50 + dice.below(200); length > 0; --length) word += "abehlortdW"[dice.below(10)];

    ASSERT_EQ(tokenizer.encode(word), naive_encode(vocabulary, word));
  }
}

TEST(BpeTokenizer, ServesManyThreads) {
  const BpeTokenizer tokenizer(trained_vocabulary());
  Dice dice(5);
  const std::string text = odd_text(dice, 2000);
  const auto wanted = tokenizer.encode(text);
  std::vector<std::vector<TokenId>> found(4);

  std::vector<std::thread> threads;
  for (auto& ids : found)
    threads.emplace_back([&] {
      BpeEncoder encoder(tokenizer);
      encoder.encode(text, ids);
    });
  for (auto& thread : threads) thread.join();

  for (const auto& ids : found) EXPECT_EQ(ids, wanted);
}

TEST(BpeTokenizer, RefusesDamagedMerges) {
  const std::vector<std::string> specials = standard_special_tokens();
  const TokenId byte = static_cast<TokenId>(specials.size());
  for (const BpeVocabulary& damaged : {BpeVocabulary{specials, {{0, byte}}},            // a special token
                                       BpeVocabulary{specials, {{byte, byte + 256}}},   // itself
                                       BpeVocabulary{specials, {{byte, byte}, {byte, byte}}}, BpeVocabulary{{}, {}}})
    EXPECT_THAT([&] { BpeTokenizer tokenizer(damaged); },
                testing::ThrowsMessage<ContractError>(testing::EndsWith(") make it again with stage vocabulary")));
}

}   // namespace
}   // namespace lastro
