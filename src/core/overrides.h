#pragma once

#include <string>
#include <vector>

#include "domain/node.h"
#include "domain/problem.h"

namespace lastro {

// Lays assignments `a.b.c=value` over a tree, in order. A part of the path names a key, or a list's item by its number; keys that are not there
// are added. The value is read as YAML ("[a, b]" is a list). What was assigned is marked so that name_assignments knows it again.
void assign(Node& tree, const std::vector<std::string>& assignments, Problems& problems);

bool is_assigned(Mark mark);

// Problems of what was assigned get "--set a.b.c=value" as their file.
void name_assignments(Problems& problems, const std::vector<std::string>& assignments);

}   // namespace lastro
