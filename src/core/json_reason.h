#pragma once

#include <string>
#include <string_view>

namespace lastro {

// Why a text is no JSON, in plain words, from what the parser's exception says. A port: infra/json has the implementation.
std::string json_reason(std::string_view parser_words);

}   // namespace lastro
