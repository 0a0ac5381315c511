1i #include "fault.h"
s|kernels::linear_backward_weight(workers, d, made.inner,|kernels::linear_backward_weight(workers, d.rows_from(0, d.rows - planted(Fault::down_misses_last_token)), made.inner.rows_from(0, d.rows - planted(Fault::down_misses_last_token)),|
s|kernels::linear_backward_weight(workers, d, made.mixed,|kernels::linear_backward_weight(workers, d.rows_from(0, d.rows - planted(Fault::output_misses_last_token)), made.mixed.rows_from(0, d.rows - planted(Fault::output_misses_last_token)),|
s|kernels::swiglu_backward(workers, gate, up, dinner, gate, up);|kernels::swiglu_backward(workers, gate, up, dinner, planted(Fault::gate_and_up_swapped) ? up : gate, planted(Fault::gate_and_up_swapped) ? gate : up);|
s|made.ffn_inverse_rms, dffn_normed, d, d);|made.ffn_inverse_rms, dffn_normed, planted(Fault::ffn_residual_dropped) ? ConstMatrix{} : ConstMatrix(d), d);|
s|made.inverse_rms, dnormed, d, d);|made.inverse_rms, dnormed, planted(Fault::attention_residual_dropped) ? ConstMatrix{} : ConstMatrix(d), d);|
s|kernels::rmsnorm_backward_weight(workers, made.middle,|kernels::rmsnorm_backward_weight(workers, planted(Fault::ffn_norm_of_the_block_input) ? x : ConstMatrix(made.middle),|
s|kernels::rope(context.workers, qkv.q,|if (!(planted(Fault::queries_not_turned_back) \&\& direction == kernels::Turn::backward)) kernels::rope(context.workers, qkv.q,|
s|  kernels::rope(context.workers, qkv.k,|  direction = planted(Fault::keys_turned_forward_again) ? kernels::Turn::forward : direction; kernels::rope(context.workers, qkv.k,|
s|scratch.dmixed, dqkv.q, dqkv.k,$|scratch.dmixed, dqkv.q, planted(Fault::keys_and_values_swapped) ? dqkv.v : dqkv.k,|
s|^ *dqkv.v, workspace);$|planted(Fault::keys_and_values_swapped) ? dqkv.k : dqkv.v, workspace);|
s|kernels::attention_backward(workers, attention_shape(shape, leaf),|auto backward_shape = attention_shape(shape, leaf); if (planted(Fault::backward_scale_of_another_head_length)) backward_shape.scale *= 1.01f; kernels::attention_backward(workers, backward_shape,|
