#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "data/dataset_fixture.h"
#include "domain/errors.h"

// Texts made for the tests of a dataset, and how it usually is made of them.
namespace lastro::test {

// `count` words of a language in which each text has words of its own.
inline std::vector<std::string> words_of(std::uint64_t text, int count) {
  std::mt19937_64 random(text);
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) words.push_back("w" + std::to_string(random() % 5000));
  return words;
}

inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

inline std::vector<std::string> texts_from(std::uint64_t first, int count, int words = 60) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(joined(words_of(first + static_cast<std::uint64_t>(i), words)));
  return texts;
}

inline Making usual() {
  Making how;
  how.settings.shard_tokens = 20000;
  how.settings.held_out = 0.1;
  return how;
}

inline std::int64_t count(const Node& summary, std::string_view key) { return summary.at(key).integer(); }

// What the error said that an action ended with, a broken contract.
template <class Action>
std::string contract_broken_by(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::contract);
    return error.what();
  }
  return "no error";
}

}   // namespace lastro::test
