#include "core/json_reason.h"

#include <array>

namespace lastro {
namespace {

// What the parser's words hold -> what a person reads.
struct Translation {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array faults{
    Translation{"missing closing quote", "a text has no closing quote"},
    Translation{"surrogate", "a \\u escape is half of a surrogate pair"},
    Translation{"hex digits", "\\u needs four hexadecimal digits"},
    Translation{"forbidden character after backslash", "a backslash stands before what it cannot escape"},
    Translation{"control character", "a text holds a control character, such as a line's end or a tab: write it as an escape"},
    Translation{"ill-formed UTF-8", "a byte is not UTF-8"},
    Translation{"invalid BOM", "the byte order mark is broken"},
    Translation{"invalid number", "a number is not complete"},
    Translation{"number overflow", "a number is too large"},
    Translation{"invalid literal", "neither a text in double quotes nor a number, true, false or null"},
    Translation{"unexpected end of input", "it ends too early"},
    Translation{"an empty input", "it ends too early"},
    Translation{"expected end of input", "something stands behind its end"},
};

constexpr std::array unexpected_tokens{
    Translation{"unexpected string literal", "a text"},
    Translation{"unexpected number literal", "a number"},
    Translation{"unexpected true literal", "true"},
    Translation{"unexpected false literal", "false"},
    Translation{"unexpected null literal", "null"},
    Translation{"unexpected '['", "["},
    Translation{"unexpected ']'", "]"},
    Translation{"unexpected '{'", "{"},
    Translation{"unexpected '}'", "}"},
    Translation{"unexpected ':'", "a colon"},
    Translation{"unexpected ','", "a comma"},
};

}   // namespace

// "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error while parsing value - <fault>; last read: '<bytes of the
// text>'; expected ..." or "... - unexpected ']'; expected string literal". The text's own bytes must not be taken for the parser's words.
std::string json_reason(std::string_view parser_words) {
  const std::string_view words = parser_words.substr(0, parser_words.find("; last read: "));
  for (const Translation& fault : faults)
    if (words.find(fault.theirs) != words.npos) return std::string(fault.ours);
  for (const Translation& token : unexpected_tokens)
    if (words.find(token.theirs) != words.npos) return std::string(token.ours) + " stands where it cannot";
  return "it breaks a rule of JSON";
}

}   // namespace lastro
