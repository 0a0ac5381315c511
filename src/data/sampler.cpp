#include "data/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/hash.h"
#include "core/json.h"
#include "core/random.h"
#include "domain/errors.h"

namespace lastro {

Permutation::Permutation(std::int64_t size, std::uint64_t seed, std::uint64_t stream)
    : size_(static_cast<std::uint64_t>(size)),
      seed_(seed),
      stream_(stream),
      half_bits_(std::max(1, (static_cast<int>(std::bit_width(size_ - 1)) + 1) / 2)) {}

std::int64_t Permutation::operator()(std::int64_t index) const {
  // A cycle of a bijection of the larger domain leads back inside; at least a quarter of it is inside, so it takes four steps on average at most.
  std::uint64_t value = once(static_cast<std::uint64_t>(index));
  while (value >= size_) value = once(value);
  return static_cast<std::int64_t>(value);
}

std::uint64_t Permutation::once(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (std::uint64_t round = 0; round < 8; ++round) {
    const std::uint64_t mixed = left ^ (random_u64(seed_, Purpose::data_order, stream_, round << 40 ^ right) & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

Mixture::Mixture(const std::vector<double>& weights) : quotas_(weights.size(), 0) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0))
    throw ContractError(
        "no source of the dataset has both text and a weight above 0 (rows are drawn from such alone). Give a source with text a weight");
  // Largest remainder: quotas of a cycle add up and each is within one turn of its share. A source with any weight gets a turn.
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t given = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const double share = weights[s] / total * static_cast<double>(cycle);
    quotas_[s] = std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(share)), weights[s] > 0 ? 1 : 0);
    given += quotas_[s];
    remainders.emplace_back(static_cast<double>(quotas_[s]) - share, s);
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; given < cycle; i = (i + 1) % remainders.size())
    if (weights[remainders[i].second] > 0) ++quotas_[remainders[i].second], ++given;
  while (given > cycle) --*std::max_element(quotas_.begin(), quotas_.end()), --given;

  // The source that is furthest behind its share takes the turn; the first of equals.
  std::vector<std::int64_t> taken(weights.size(), 0);
  for (std::int64_t turn = 1; turn <= cycle; ++turn) {
    std::size_t next = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::size_t s = 0; s < weights.size(); ++s) {
      const std::int64_t behind = quotas_[s] * turn - taken[s] * cycle;
      if (quotas_[s] > taken[s] && behind > most) most = behind, next = s;
    }
    turns_.push_back({static_cast<int>(next), taken[next]++});
  }
}

Mixture::Turn Mixture::operator()(std::int64_t sample) const {
  const Turn turn = turns_[static_cast<std::size_t>(sample % cycle)];
  return {turn.source, sample / cycle * quotas_[turn.source] + turn.number};
}

namespace {

std::vector<TokenShards> open_sources(const std::filesystem::path& folder, const DatasetLayout& layout, Split split) {
  std::vector<TokenShards> sources;
  for (const ShardedSource& source : layout.of(split)) sources.emplace_back(folder, layout, source);
  return sources;
}

std::vector<double> weights_of(const std::vector<ShardedSource>& sources) {
  std::vector<double> weights;
  for (const ShardedSource& source : sources) weights.push_back(source.tokens() > 0 ? source.weight : 0.0);
  return weights;
}

}   // namespace

Sampler::Sampler(const std::filesystem::path& dataset_folder, const Settings& settings)
    : settings_(settings),
      layout_(read_dataset_layout(dataset_folder)),
      sources_(open_sources(dataset_folder, layout_, settings.split)),
      mixture_(weights_of(layout_.of(settings.split))) {
  if (settings_.context < 1) throw InternalError("a sampler needs a context of at least one token");
  fingerprint_ = Sha256()
                     .update("lastro sampler 1")
                     .update_u64(settings_.seed)
                     .update_u64(static_cast<std::uint64_t>(settings_.context))
                     .update(name_of(settings_.split))
                     .update(to_canonical_json(to_node(layout_)))
                     .finish();
}

std::int64_t Sampler::windows(int source) const { return (sources_[source].tokens() + settings_.context - 1) / settings_.context; }

Sampler::Place Sampler::place_of(std::int64_t sample) const {
  const Mixture::Turn turn = mixture_(sample);
  const std::int64_t count = windows(turn.source);
  const std::int64_t epoch = turn.number / count;
  const Permutation order(count, settings_.seed, static_cast<std::uint64_t>(epoch) << 16 | static_cast<std::uint64_t>(turn.source));
  return {turn.source, epoch, order(turn.number % count)};
}

void Sampler::sequence(std::int64_t sample, std::span<TokenId> tokens) const {
  const Place place = place_of(sample);
  const TokenShards& source = sources_[place.source];
  const std::int64_t begin = place.window * settings_.context - 1;   // one token before the first target
  const std::int64_t end = begin + settings_.context + 1;
  const std::int64_t first = std::max<std::int64_t>(begin, 0);
  const std::int64_t last = std::min(end, source.tokens());
  std::fill(tokens.begin(), tokens.begin() + (first - begin), layout_.end_of_document);
  source.read(first, tokens.subspan(static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - first)));
  std::fill(tokens.begin() + (last - begin), tokens.end(), layout_.end_of_document);
}

}   // namespace lastro
