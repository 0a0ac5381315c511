#include "attention_cpu.h"

#include "attention_backward_cpu.h"
#include "attention_forward_cpu.h"

namespace lastro::kernels {

template <>
const AttentionEntries OnPath<AttentionEntries, isa_path>::entries = {tile_columns, pack_block, attend, attend_backward};

}   // namespace lastro::kernels
