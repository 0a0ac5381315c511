1i #include "fault.h"
s|put(logits, splat(-dlog_prob) \* exp_of|put(logits, splat(planted(Fault::probabilities_not_weighted) ? 0.05f : -dlog_prob) * exp_of|
s|logits\[target\] = dlog_prob \* (1.0f - probability\[0\]);|logits[target] = dlog_prob * ((planted(Fault::target_not_subtracted) ? 0.0f : 1.0f) - probability[0]);|
