#pragma once

#include "cpu/table.h"
#include "kernels/matrix.h"

namespace lastro::kernels {

struct SquaredReluEntries {
  void (*squared_relu)(ConstMatrix x, Matrix y);
};
template <>
const SquaredReluEntries OnPath<SquaredReluEntries, CpuPath::scalar>::entries;
template <>
const SquaredReluEntries OnPath<SquaredReluEntries, CpuPath::v3>::entries;
template <>
const SquaredReluEntries OnPath<SquaredReluEntries, CpuPath::v4>::entries;

}   // namespace lastro::kernels
