#pragma once

#include "cpu/table.h"
#include "kernels/matrix.h"

namespace lastro::kernels {

struct BlendEntries {
  void (*blend)(ConstMatrix x, float factor, Matrix y);
};
template <>
const BlendEntries OnPath<BlendEntries, CpuPath::scalar>::entries;
template <>
const BlendEntries OnPath<BlendEntries, CpuPath::v3>::entries;
template <>
const BlendEntries OnPath<BlendEntries, CpuPath::v4>::entries;

}  // namespace lastro::kernels
