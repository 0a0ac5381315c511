// Trains, encodes and times the tokenizer alone, for comparisons with other libraries (tools/bench/tokenizer,
// tests/text/compare_with_libraries.py).
//
//   bench_tokenizer train FOLDER SIZE FILE...   counts the files as a document each, learns SIZE tokens, writes the tokenizer to FOLDER
//   bench_tokenizer encode FOLDER               stdin: (u32 length, bytes)*; stdout: (u32 count, u32 ids[count])* for each
//   bench_tokenizer time FOLDER FILE ROUNDS     encodes FILE, prints {"bytes", "tokens", "encode_s": [...], "decode_s": [...]}
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "core/json.h"
#include "domain/errors.h"
#include "text/bpe_training.h"
#include "text/pretoken_counts.h"
#include "text/pretokenizer.h"
#include "text/text_file.h"
#include "text/tokenizer.h"
#include "text/tokenizer_files.h"

namespace {

using namespace lastro;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int train(const std::filesystem::path& folder, std::size_t size, const std::vector<std::string>& files) {
  std::filesystem::create_directories(folder);
  std::vector<std::string> texts;
  for (const std::string& file : files) texts.push_back(read_text_file(file));
  auto start = std::chrono::steady_clock::now();
  PretokenCounter counter(std::int64_t{1} << 30, folder / "run-");
  for (const std::string& text : texts)
    for_each_pretoken(text, [&](std::string_view pretoken) {
      for (std::size_t at = 0; at < pretoken.size(); at += PretokenCounter::longest_counted)
        counter.add(pretoken.substr(at, PretokenCounter::longest_counted));
    });
  merge_counts(counter.finish(), folder / "pretokens.counts");
  const double count_s = seconds_since(start);
  start = std::chrono::steady_clock::now();
  BpeTrainer trainer(size, standard_special_tokens());
  for (PretokenCountsReader reader(folder / "pretokens.counts"); reader.next();) trainer.add(reader.current().bytes, reader.current().count);
  const BpeTraining training = trainer.train(2);
  const double merge_s = seconds_since(start);
  write_tokenizer_files(training.vocabulary, folder);
  Node report = Node::mapping();
  report.set("size", static_cast<std::int64_t>(training.vocabulary.size()));
  report.set("count_s", count_s);
  report.set("merge_s", merge_s);
  std::cout << to_json(report) << "\n";
  return 0;
}

bool read_exactly(void* to, std::size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; }

int encode(const std::filesystem::path& folder) {
  const BpeTokenizer tokenizer = BpeTokenizer::load(folder);
  BpeEncoder encoder(tokenizer);
  std::string text;
  std::vector<TokenId> ids;
  for (std::uint32_t length = 0; read_exactly(&length, sizeof length);) {
    text.resize(length);
    if (!read_exactly(text.data(), length)) throw ContractError("a text on stdin ends early");
    ids.clear();
    encoder.encode(text, ids);
    const auto count = static_cast<std::uint32_t>(ids.size());
    std::fwrite(&count, sizeof count, 1, stdout);
    std::fwrite(ids.data(), sizeof(TokenId), ids.size(), stdout);
  }
  return 0;
}

int time_encoding(const std::filesystem::path& folder, const std::string& file, int rounds) {
  const BpeTokenizer tokenizer = BpeTokenizer::load(folder);
  const std::string text = read_text_file(file);
  Node encode_s = Node::sequence(), decode_s = Node::sequence();
  std::vector<TokenId> ids;
  for (int round = 0; round < rounds; ++round) {
    BpeEncoder encoder(tokenizer);   // a new one knows nothing yet
    ids.clear();
    auto start = std::chrono::steady_clock::now();
    encoder.encode(text, ids);
    encode_s.push(seconds_since(start));
    start = std::chrono::steady_clock::now();
    if (tokenizer.decode(ids) != text) throw InternalError("the text did not come back");
    decode_s.push(seconds_since(start));
  }
  Node report = Node::mapping();
  report.set("bytes", static_cast<std::int64_t>(text.size()));
  report.set("tokens", static_cast<std::int64_t>(ids.size()));
  report.set("encode_s", encode_s);
  report.set("decode_s", decode_s);
  std::cout << to_json(report) << "\n";
  return 0;
}

}   // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() >= 4 && words[0] == "train") return train(words[1], std::stoul(words[2]), {words.begin() + 3, words.end()});
    if (words.size() == 2 && words[0] == "encode") return encode(words[1]);
    if (words.size() == 4 && words[0] == "time") return time_encoding(words[1], words[2], std::stoi(words[3]));
    std::cerr << "usage: bench_tokenizer train FOLDER SIZE FILE... | encode FOLDER | time FOLDER FILE ROUNDS\n";
    return 2;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
