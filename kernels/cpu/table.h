#pragma once

#include <cstdint>

#include "kernels/path.h"

namespace lastro::kernels {

// The entries of one op (a struct of function pointers) on one path. Each is defined in <op>_cpu.cpp, which is compiled once a path.
template <class Entries, CpuPath path>
struct OnPath {
  static const Entries entries;
};

template <class Entries>
const Entries& entries_in_force() {
  switch (cpu_path()) {
    case CpuPath::scalar: return OnPath<Entries, CpuPath::scalar>::entries;
    case CpuPath::v3: return OnPath<Entries, CpuPath::v3>::entries;
    case CpuPath::v4: return OnPath<Entries, CpuPath::v4>::entries;
  }
  __builtin_unreachable();
}

// Pieces run, one counter a path, each in a cache line of its own.
struct alignas(64) PieceCounter {
  std::uint64_t pieces;
};
extern PieceCounter piece_counters[3];

}   // namespace lastro::kernels
