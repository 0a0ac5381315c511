1i #include "fault.h"
s|s.layout.dlogprobs\[row\] = -loss_weights\[row\];|s.layout.dlogprobs[row] = planted(Fault::loss_weights_ignored) \|\| planted(Fault::masked_rows_counted) ? -0.05f : -loss_weights[row];|
s|return loss_weights\[row\] != 0.0f; });|return loss_weights[row] != 0.0f \|\| planted(Fault::masked_rows_counted); });|
s|s.shape.tied ? Start::output : Start::zero, s.layout.workspace);|s.shape.tied \&\& !planted(Fault::tied_gradient_begun_anew) ? Start::output : Start::zero, s.layout.workspace);|
s|block_forward_inside(context(), weights, input_of(layer), made_by(layer));|block_forward_inside(context(), weights, input_of(layer + planted(Fault::inside_made_of_another_input)), made_by(layer));|
s|kernels::rmsnorm_backward_input(s.workers, x, head.weights.data(), s|const std::vector<float> ones(static_cast<std::size_t>(s.shape.width), 1.0f); kernels::rmsnorm_backward_input(s.workers, x, planted(Fault::final_norm_weight_ignored) ? ones.data() : head.weights.data(), s|
