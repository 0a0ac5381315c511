#pragma once

#include <string_view>

namespace lastro {

// "0.1.0 (d927430abcde)": the release and the commit it was built from, with "-dirty" where the tree had changes; "no git" outside one.
std::string_view program_version();
// The commit alone.
std::string_view program_commit();

}   // namespace lastro
