#pragma once

#include <string>
#include <string_view>

#include "domain/node.h"
#include "domain/problem.h"

namespace lastro {

// One YAML document as a tree with the place of every key and value. The language is YAML 1.2 without what hides meaning: keys that stand
// twice, anchors, aliases, `<<`, tags, a second document, texts that run over a line's end without | or >, tabs as indentation, numbers with
// leading zeros. Plain words are typed by the core schema, so yes, no and on are texts. At most 4 MiB, 64 levels.
// Every problem is added with its line and column; after one of syntax nothing more is read and the tree is null.
// A port: infra/yaml has the implementation.
Node parse_yaml(std::string_view text, const std::string& file, Problems& problems);

// The tree in block style, two blanks a level, a key of a mapping alone on its line; texts are quoted only where they need it, numbers are in
// their shortest form. parse_yaml gives an equal tree. Requires: texts are UTF-8 (other bytes are replaced by U+FFFD).
std::string to_yaml_block(const Node& tree);

}   // namespace lastro
