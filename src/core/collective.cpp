#include "core/collective.h"

#include <numeric>

namespace lastro {

void add(std::span<float> sum, std::span<const float> values) {
  float* __restrict out = sum.data();
  const float* __restrict in = values.data();
  const std::size_t count = sum.size();
  for (std::size_t i = 0; i < count; ++i) out[i] += in[i];
}

std::vector<std::string> all_gather_text(Collective& ranks, std::string_view mine) {
  std::vector<std::int64_t> lengths(ranks.size(), 0);
  lengths[ranks.rank().value] = static_cast<std::int64_t>(mine.size());
  ranks.all_sum(lengths);
  std::string whole(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), '\0');
  ranks.all_gather(std::as_bytes(std::span(mine)), lengths, std::as_writable_bytes(std::span(whole)));
  std::vector<std::string> texts;
  std::size_t begin = 0;
  for (const std::int64_t length : lengths) {
    texts.push_back(whole.substr(begin, length));
    begin += length;
  }
  return texts;
}

std::string broadcast_text(Collective& ranks, std::string_view text_of_root, Rank root) {
  std::int64_t length[1] = {ranks.rank() == root ? static_cast<std::int64_t>(text_of_root.size()) : 0};
  ranks.all_max(length);
  std::string text(length[0], '\0');
  if (ranks.rank() == root) text = text_of_root;
  ranks.broadcast(std::as_writable_bytes(std::span(text)), root);
  return text;
}

}   // namespace lastro
