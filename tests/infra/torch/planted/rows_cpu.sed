1i #include "fault.h"
s|return fma(at(gradient) \* at(weight), at(from) \* inverse, sum);|return fma(planted(Fault::norm_projection_without_weight) ? at(gradient) : at(gradient) * at(weight), at(from) * inverse, sum);|
s|const Floats mean = splat(products.tree() / static_cast<float>(x.columns));|const Floats mean = splat(planted(Fault::norm_without_projection) ? 0.0f : products.tree() / static_cast<float>(x.columns));|
s|const Floats through = inverse \* fma(-(at(from) \* inverse), mean, at(gradient) \* at(weight));|const Floats through = (planted(Fault::norm_without_inverse_rms) ? splat(1.0f) : inverse) * fma(-(at(from) * inverse), mean, planted(Fault::norm_without_weight) ? at(gradient) : at(gradient) * at(weight));|
s|put(dweight, fma(at(gradient), at(from) \* inverse, at(dweight)));|put(dweight, fma(at(gradient), planted(Fault::norm_weight_without_inverse_rms) ? at(from) : at(from) * inverse, at(dweight)));|
s|put(high, fma(b, c, a \* s));|put(high, fma(b, c, planted(Fault::rope_half_turned_wrongly) \&\& rows.sign < 0 ? -(a * s) : a * s));|
s|put(to, at(to) + at(from));|put(to, planted(Fault::embedding_overwritten) ? at(from) : at(to) + at(from));|
