#pragma once

#include <memory>

#include "model/oracle.h"

namespace lastro {

// The oracle on LibTorch, on one thread. Compare with tolerances, never with bits: its sums change with shapes, threads and processors.
std::unique_ptr<Oracle> make_torch_oracle();

}   // namespace lastro
