#include "text/tokenizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "domain/errors.h"
#include "text/byte_hash.h"
#include "text/byte_level.h"
#include "text/merge_table.h"
#include "text/pretokenizer.h"
#include "text/tokenizer_files.h"

namespace lastro {
namespace {

// Up to 23 bytes in three words, the length in the last byte: compared and hashed without a loop.
struct ShortKey {
  static constexpr std::size_t longest = 23;
  std::array<std::uint64_t, 3> words{};

  explicit ShortKey(std::string_view bytes) {
    std::memcpy(words.data(), bytes.data(), bytes.size());
    words[2] |= static_cast<std::uint64_t>(bytes.size()) << 56;
  }
  ShortKey() = default;
  std::uint64_t hash() const { return fold_multiply(words[0] ^ 0xA0761D6478BD642Fu, words[1] ^ words[2] ^ 0xE7037ED1A0B428DBu) ^ words[2] >> 32; }
  bool operator==(const ShortKey&) const = default;
};

// Reads 24 bytes at once where the text has them, and masks; about twice as fast as copying `size` bytes.
ShortKey short_key(const char* at, std::size_t size, std::size_t readable) {
  if (readable < 24) return ShortKey({at, size});
  static constexpr auto masks = [] {
    std::array<std::array<std::uint64_t, 3>, 24> all{};
    for (std::size_t size = 0; size < 24; ++size)
      for (std::size_t byte = 0; byte < size; ++byte) all[size][byte / 8] |= std::uint64_t{0xFF} << byte % 8 * 8;
    return all;
  }();
  ShortKey key;
  std::memcpy(key.words.data(), at, 24);
  for (int i = 0; i < 3; ++i) key.words[i] &= masks[size][i];
  key.words[2] |= static_cast<std::uint64_t>(size) << 56;
  return key;
}
static_assert(std::endian::native == std::endian::little);

}   // namespace

struct BpeTokenizer::Tables {
  explicit Tables(const BpeVocabulary& vocabulary);

  MergeTable merges;
  std::array<TokenId, 256> id_of_byte{};
  std::string bytes;                 // of all tokens, one after another
  std::vector<std::uint64_t> ends;   // of token i in `bytes`
};

BpeTokenizer::Tables::Tables(const BpeVocabulary& vocabulary) : merges(vocabulary) {
  for (int place = 0; place < 256; ++place) id_of_byte[bytes_in_order()[place]] = vocabulary.first_byte() + place;
  for (const std::string& token : token_bytes(vocabulary)) {
    bytes += token;
    ends.push_back(bytes.size());
  }
}

BpeTokenizer::BpeTokenizer(BpeVocabulary vocabulary) : vocabulary_(std::move(vocabulary)), tables_(std::make_shared<Tables>(vocabulary_)) {
  if (vocabulary_.special_tokens.empty() || vocabulary_.special_tokens[0] != "<|endoftext|>")
    throw ContractError("the vocabulary's first token is not <|endoftext|> (documents end with it) make it again with stage vocabulary");
}

BpeTokenizer BpeTokenizer::load(const std::filesystem::path& folder) { return BpeTokenizer(read_tokenizer_file(folder)); }

std::vector<TokenId> BpeTokenizer::encode(std::string_view text) const {
  std::vector<TokenId> ids, piece;
  PretokenMerger merger;
  for_each_pretoken(text, [&](std::string_view pretoken) {
    piece.clear();
    for (const char byte : pretoken) piece.push_back(tables_->id_of_byte[static_cast<unsigned char>(byte)]);
    merger.merge(tables_->merges, piece);
    ids.insert(ids.end(), piece.begin(), piece.end());
  });
  return ids;
}

std::string_view BpeTokenizer::bytes_of(TokenId id) const {
  if (id >= vocabulary_size())
    throw ContractError("token id " + std::to_string(id) + " is not of this tokenizer (it has " + std::to_string(vocabulary_size()) +
                        ") take the tokenizer that made the ids");
  const std::uint64_t begin = id == 0 ? 0 : tables_->ends[id - 1];
  return std::string_view(tables_->bytes).substr(begin, tables_->ends[id] - begin);
}

std::string BpeTokenizer::decode(std::span<const TokenId> ids, Special special) const {
  std::string text;
  for (const TokenId id : ids)
    if (const std::string_view bytes = bytes_of(id); special == Special::show || !is_special(id)) text += bytes;
  return text;
}

std::optional<TokenId> BpeTokenizer::special(std::string_view text) const {
  const auto& names = vocabulary_.special_tokens;
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<TokenId>(found - names.begin());
}

struct BpeEncoder::State {
  // One cache line. Direct-mapped: a newer pre-token replaces an older one.
  struct alignas(64) Seen {
    static constexpr std::uint32_t most = 9;
    ShortKey key;
    std::uint32_t count = 0;
    std::array<TokenId, most> ids;
  };
  static constexpr int seen_bits = 16;

  explicit State(const BpeTokenizer::Tables& tables) : tables(tables), seen(std::size_t{1} << seen_bits) {}

  void merge(std::string_view pretoken) {
    piece.resize(pretoken.size());
    for (std::size_t i = 0; i < pretoken.size(); ++i) piece[i] = tables.id_of_byte[static_cast<unsigned char>(pretoken[i])];
    merger.merge(tables.merges, piece);
  }

  // The tokens of the pre-token of `size` bytes at `at`, where `readable` bytes may be read.
  void append(const char* at, std::size_t size, std::size_t readable, std::vector<TokenId>& ids) {
    if (size > ShortKey::longest) {
      merge({at, size});
      ids.insert(ids.end(), piece.begin(), piece.end());
      return;
    }
    const ShortKey key = short_key(at, size, readable);
    Seen& place = seen[key.hash() >> (64 - seen_bits)];
    if (place.key != key) {
      merge({at, size});
      if (piece.size() > Seen::most) {
        ids.insert(ids.end(), piece.begin(), piece.end());
        return;
      }
      place.key = key;
      place.count = static_cast<std::uint32_t>(piece.size());
      std::copy(piece.begin(), piece.end(), place.ids.begin());
    }
    ids.insert(ids.end(), place.ids.begin(), place.ids.begin() + place.count);
  }

  const BpeTokenizer::Tables& tables;
  std::vector<Seen> seen;
  std::vector<TokenId> piece;
  PretokenMerger merger;
};

BpeEncoder::BpeEncoder(const BpeTokenizer& tokenizer) : state_(std::make_unique<State>(*tokenizer.tables_)) {}
BpeEncoder::BpeEncoder(BpeEncoder&&) noexcept = default;
BpeEncoder::~BpeEncoder() = default;

void BpeEncoder::encode(std::string_view text, std::vector<TokenId>& ids) {
  for (std::size_t begin = 0, end; begin < text.size(); begin = end) {
    end = pretoken_end(text, begin);
    state_->append(text.data() + begin, end - begin, text.size() - begin, ids);
  }
}

void BpeEncoder::encode_pretoken(std::string_view pretoken, std::vector<TokenId>& ids) {
  state_->append(pretoken.data(), pretoken.size(), pretoken.size(), ids);
}

}   // namespace lastro
