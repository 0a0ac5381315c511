#pragma once

#include <cstdint>

namespace lastro {

// Memory of this process that is in use now, and the most that ever was, as the system counts it.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes();

}   // namespace lastro
