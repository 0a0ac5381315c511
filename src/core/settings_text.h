#pragma once

#include <string>

#include "core/settings.h"

namespace lastro {

// A JSON Schema (draft 2020-12) of an object that holds these settings: types, bounds, defaults, words allowed; a unit is an "x-unit".
Node schema_of(const SettingSpecs& specs);

// Rows of a Markdown table `| field | default | values | meaning |`, nested fields with dots, each below `prefix`.
std::string markdown_rows(const SettingSpecs& specs, const std::string& prefix = "");
inline constexpr std::string_view markdown_head = "| field | default | values | meaning |\n|---|---|---|---|\n";

// The values a setting takes: "whole number, 257 to 1000000, tokens".
std::string values_text(const SettingSpec& spec);

}   // namespace lastro
