1i #include "fault.h"
s|return {(dh \* up) \* (s \* fma(gate, one - s, one)), dh \* (gate \* s)};|return {(dh * up) * (planted(Fault::silu_slope_is_sigmoid) ? s : s * fma(gate, one - s, one)), dh * (planted(Fault::up_without_sigmoid) ? gate : gate * s)};|
