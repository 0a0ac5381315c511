#pragma once

#include <string>

namespace lastro {

// What a person may do about an errno of the file system, with a blank before it; empty where nothing is known to help.
std::string hint_for(int error);

}   // namespace lastro
