#pragma once

#include "model/carver.h"

namespace lastro {

// What activation memory is for: the classes that a plan shows.
enum class MemoryClass { kept, working, head, packing, tables, kv_cache };
using ActivationCarver = Carver<MemoryClass, 6>;

}   // namespace lastro
