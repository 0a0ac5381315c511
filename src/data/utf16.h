#pragma once

#include <string>

#include "domain/source.h"

namespace lastro {

// The first file of a source that begins as UTF-16 does, and how to convert it: "a.txt is UTF-16 without a byte-order mark (nearly every second
// byte is next to 0). Convert it, as with `iconv -f UTF-16LE -t UTF-8 a.txt`"; empty where there is none. Reads the beginning of each file.
std::string words_for_utf16(const Source& source);

}   // namespace lastro
