#pragma once

#include <limits>
#include <string_view>
#include <tuple>

// One declaration of a settings struct serves the parser, its messages, the defaults, the canonical text in a stage key, the JSON Schema and
// the reference in manifests/README.md:
//
//   struct VocabularySettings {
//     std::int64_t size = 2048;
//     Ties ties = Ties::smallest_ids;
//     static constexpr std::tuple fields{
//         field("size", &VocabularySettings::size, {.doc = "tokens, special ones included", .unit = "tokens", .min = 257}),
//         field("ties", &VocabularySettings::ties, {.doc = "which of equally frequent pairs is merged first"})};
//   };
//
// A field may be bool, std::int64_t, double, std::string, an enum with names, an optional or vector of these, or a struct with `fields`.
// An enum gets its names from   constexpr auto enum_names(Ties) { return std::array{EnumName{Ties::smallest_ids, "smallest_ids"}, ...}; }
namespace lastro {

template <class E>
struct EnumName {
  E value;
  std::string_view name;
};
template <class E>
EnumName(E, std::string_view) -> EnumName<E>;   // clang 14 has none of its own for an aggregate

// Whether a setting can change what a stage makes. Only settings that can are part of the stage key.
enum class Bears : bool { nothing = false, result = true };

struct FieldInfo {
  std::string_view doc;
  std::string_view unit = "";
  double min = -std::numeric_limits<double>::infinity();     // the least value allowed
  double above = -std::numeric_limits<double>::infinity();   // a bound that is itself not allowed
  double max = std::numeric_limits<double>::infinity();
  Bears bears = Bears::result;
  std::string_view absent = "";   // optional fields: a word for "none" besides null, such as auto
  bool one_or_many = false;       // lists: a single value may stand without brackets
};

template <class S, class T>
struct Field {
  std::string_view name;
  T S::*member;
  FieldInfo info;
};
template <class S, class T>
constexpr Field<S, T> field(std::string_view name, T S::*member, FieldInfo info) {
  return {name, member, info};
}

template <class S>
concept HasFields = requires {
  S::fields;
};

}   // namespace lastro
