#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/stage_registry.h"
#include "domain/manifest.h"
#include "domain/problem.h"

namespace lastro {

// Reads a manifest's text, with `--set a.b.c=value` assignments laid over it. Every problem that the text alone shows is added, in the order of
// their places: its syntax, its fields, and whether its parts fit together (core/wiring.h). Memory, time and cost are the planner's question. A
// record (manifest.out.yaml) is a manifest: what a run added to it is passed over, but for output hashes, which become expectations. One that was
// cut off is refused; in one that was edited, they are expected of the stages alone that are still the recorded ones.
Manifest read_manifest(std::string_view text, const std::string& file, const std::vector<std::string>& assignments, const StageRegistry& registry,
                       Problems& problems);

// The same from a tree.
Manifest parse_manifest(const Node& tree, const std::string& file, const StageRegistry& registry, Problems& problems);

// A manifest with every default written out; parse_manifest reads an equal one from it. Expectations that came from a record are left out.
Node to_node(const Manifest& manifest);

// By file, line and column; problems of the command line first.
void sort_by_place(Problems& problems);

}   // namespace lastro
