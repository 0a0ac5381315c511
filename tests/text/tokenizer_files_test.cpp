#include "text/tokenizer_files.h"

#include <gmock/gmock.h>

#include "core/json.h"
#include "domain/errors.h"
#include "naive_bpe.h"
#include "support/temporary_folder.h"
#include "text/text_file.h"
#include "trained.h"

namespace lastro {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(TokenizerFiles, ReadBackAsTheyWereWritten) {
  const TemporaryFolder folder;
  const BpeVocabulary vocabulary = trained_vocabulary();

  write_tokenizer_files(vocabulary, folder.path());

  EXPECT_EQ(read_tokenizer_file(folder.path()), vocabulary);
  EXPECT_EQ(BpeTokenizer::load(folder.path()).encode("the hello"), BpeTokenizer(vocabulary).encode("the hello"));
}

TEST(TokenizerFiles, NumberTokensAsTheFieldDoes) {
  const TemporaryFolder folder;
  const BpeVocabulary vocabulary = trained_vocabulary();

  write_tokenizer_files(vocabulary, folder.path());

  const Node vocab = parse_json(read_text_file(folder / "vocab.json"), "vocab.json");
  EXPECT_EQ(vocab.at("<|endoftext|>").integer(), 0);
  EXPECT_EQ(vocab.at("!").integer(), vocabulary.first_byte());
  EXPECT_EQ(vocab.at("\u0100").integer(), vocabulary.first_byte() + 188);        // NUL, the first byte without a character of its own
  EXPECT_EQ(vocab.at("\u0120").integer(), vocabulary.first_byte() + 188 + 32);   // space
  EXPECT_EQ(vocab.entries().size(), vocabulary.size());
  EXPECT_THAT(read_text_file(folder / "merges.txt"), StartsWith("#version: 0.2\n"));
  EXPECT_THAT(read_text_file(folder / "tokenizer.tiktoken"), StartsWith("IQ== 8\nIg== 9\n"));   // as cl100k begins, after the special tokens
}

TEST(TokenizerFiles, SpellOutAllCharacterClasses) {   // an engine's own Unicode version must not matter
  EXPECT_THAT(pretoken_pattern(), testing::Not(HasSubstr("\\p")));
  EXPECT_THAT(pretoken_pattern(), testing::Not(HasSubstr("\\s")));
}

TEST(TokenizerFiles, AreRefusedWhenDamaged) {
  const TemporaryFolder folder;
  write_tokenizer_files(trained_vocabulary(300), folder.path());
  const std::string whole = read_text_file(folder / "tokenizer.json");
  const BpeVocabulary vocabulary = read_tokenizer_file(folder.path());
  Dice dice(1);

  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    if (i % 3 == 0)
      damaged.resize(dice.below(whole.size()));
    else
      damaged[dice.below(whole.size())] = static_cast<char>(dice.below(256));
    write_text_file(folder / "tokenizer.json", damaged);
    try {   // what still reads is what it was: only what carries no meaning here was hit
      EXPECT_EQ(read_tokenizer_file(folder.path()).merges, vocabulary.merges);
    } catch (const ContractError&) {}
  }
}

// The tokens are as many as the merges say, but another text: read on from bytes, the last would be 2^60 bytes long.
TEST(TokenizerFiles, AreRefusedWithoutSpellingOutMergesThatDouble) {
  const TemporaryFolder folder;
  BpeVocabulary vocabulary{standard_special_tokens(), {}};
  write_tokenizer_files(vocabulary, folder.path());
  Node tree = parse_json(read_text_file(folder / "tokenizer.json"), "tokenizer.json");
  Node model = tree.at("model"), vocab = model.at("vocab"), merges = Node::sequence();
  std::string doubled = "!";
  for (std::int64_t i = 0; i < 60; ++i) {
    merges.push(doubled + " " + doubled);
    doubled = "token" + std::to_string(i);
    vocab.set(doubled, vocabulary.first_merge() + i);
  }
  model.set("vocab", vocab);
  model.set("merges", merges);
  tree.set("model", model);
  write_text_file(folder / "tokenizer.json", to_json(tree));

  EXPECT_THROW(read_tokenizer_file(folder.path()), ContractError);
}

TEST(TokenizerFiles, AreNotWrittenForMergesThatTheLibrariesReadDifferently) {
  const TemporaryFolder folder;
  BpeVocabulary vocabulary{standard_special_tokens(), {}};
  const TokenId a = tokens_of_bytes(vocabulary, "a")[0];
  vocabulary.merges = {{a, a + 1}, {a + 1, a + 2}, {a, vocabulary.first_merge() + 1}};

  EXPECT_THAT([&] { write_tokenizer_files(vocabulary, folder.path()); },
              testing::ThrowsMessage<ContractError>(testing::EndsWith(") make the vocabulary again with its stage")));
}

TEST(TokenizerFiles, NameAFileThatIsNotThere) { EXPECT_THROW(BpeTokenizer::load("/nowhere"), EnvironmentError); }

}   // namespace
}   // namespace lastro
