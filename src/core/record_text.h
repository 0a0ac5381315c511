#pragma once

#include <string>
#include <string_view>

#include "domain/node.h"

namespace lastro {

// The text of a record (manifest.out.yaml), which tells of itself whether it is whole:
//   record: <what this file is>
//   <the record in block style>
//   record_sha256: sha256:<64 hex>      over all lines before it
// A cut anywhere leaves the first line without the last; a change leaves a last line that is not the hash of what stands above it.
std::string to_record_text(const Node& record);

enum class RecordState {
  none,      // no record: neither line is there
  whole,     // as it was written
  cut_off,   // its last line is missing, or not all of it is there
  edited,    // changed since it was written
};
RecordState state_of_record(std::string_view text);

// Why a record in that state is not to be trusted: "was cut off (its last line, record_sha256, is missing)".
std::string_view words_for(RecordState state);

}   // namespace lastro
