#pragma once

namespace lastro {

// Faults planted in copies of the backward passes' sources (see the .sed files): each is there only while it is the one in force.
enum class Fault {
  none,
  // model/block.cpp
  down_misses_last_token,
  output_misses_last_token,
  gate_and_up_swapped,
  ffn_residual_dropped,
  attention_residual_dropped,
  ffn_norm_of_the_block_input,
  queries_not_turned_back,
  keys_turned_forward_again,
  keys_and_values_swapped,
  backward_scale_of_another_head_length,
  // model/leaf_pass.cpp
  loss_weights_ignored,
  masked_rows_counted,
  tied_gradient_begun_anew,
  inside_made_of_another_input,
  final_norm_weight_ignored,
  // kernels/rows_cpu.cpp, element/swiglu.h
  norm_without_projection,
  norm_projection_without_weight,
  norm_without_inverse_rms,
  norm_without_weight,
  norm_weight_without_inverse_rms,
  rope_half_turned_wrongly,
  silu_slope_is_sigmoid,
  up_without_sigmoid,
  embedding_overwritten,
  // kernels/head_cpu.cpp
  target_not_subtracted,
  probabilities_not_weighted,
  // kernels/attention_backward_cpu.h
  delta_left_out,
  queries_not_scaled,
  keys_not_scaled,
  first_head_of_group_lost,
  values_from_score_gradients,
  own_query_skipped,
  own_key_skipped,
  later_query_blocks_skipped,
  count
};

extern Fault fault_in_force;
inline bool planted(Fault fault) { return fault_in_force == fault; }

}   // namespace lastro
