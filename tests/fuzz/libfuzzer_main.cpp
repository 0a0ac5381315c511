#include <cstdint>

#include "fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lastro::must_hold_for({reinterpret_cast<const char*>(data), size});
  return 0;
}
