#include "core/nearest.h"

#include <algorithm>

namespace lastro {
namespace {

constexpr std::size_t longest_compared = 64;   // quadratic in the length, and a person's typo is short

// Optimal string alignment distance.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}   // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t fewest = word.size() + 1;
  if (word.size() > longest_compared) return best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest_compared) continue;
    const std::size_t edits = edits_between(word, candidate);
    if (edits < fewest && edits * 3 <= std::max(word.size(), candidate.size())) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  if (const std::string_view near = nearest(word, candidates); !near.empty()) return ". Did you mean \"" + std::string(near) + "\"?";
  if (candidates.empty()) return "";
  std::string known;
  for (const std::string_view candidate : candidates) known += (known.empty() ? "" : ", ") + std::string(candidate);
  return " (known: " + known + ")";
}

}   // namespace lastro
