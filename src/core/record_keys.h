#pragma once

#include <array>
#include <string_view>

namespace lastro {

// The keys that a record (manifest.out.yaml) adds to a manifest: to each stage, and at the top. A manifest may have them; they wish for nothing.
inline constexpr std::string_view record_head_key = "record";   // the file's first line and its last (core/record_text.h)
inline constexpr std::string_view record_seal_key = "record_sha256";
inline constexpr std::array<std::string_view, 13> recorded_stage_keys{"status",     "input_hash",     "input_hashes", "output_hash", "key",
                                                                      "from_store", "wall_clock_sec", "cost_usd",     "metrics",     "measured",
                                                                      "cause",      "invalidates",    "spent_sec"};
inline constexpr std::array<std::string_view, 6> recorded_run_keys{"verdict", "totals", "differences", "machine", record_head_key, record_seal_key};

}   // namespace lastro
