#pragma once

#include <compare>
#include <cstdint>

namespace lastro {

// A whole number that says what it counts or names.
template <class Tag, class Value = std::int64_t>
struct Id {
  Value value{};
  constexpr auto operator<=>(const Id&) const = default;
};

using Rank = Id<struct RankTag, int>;
using Step = Id<struct StepTag>;   // optimizer steps done
using TokenId = std::uint32_t;

}   // namespace lastro
