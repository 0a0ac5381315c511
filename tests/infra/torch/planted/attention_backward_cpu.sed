1i #include "fault.h"
s|delta = splat(job.deltas\[statistics + i\]);|delta = splat(planted(Fault::delta_left_out) ? 0.0f : job.deltas[statistics + i]);|
s|const std::int64_t row = pair.first_key + of_key - pair.first_query;|const std::int64_t row = pair.first_key + of_key - pair.first_query + planted(Fault::own_query_skipped);|
s|return least(pair.keys, pair.first_query + row + i - pair.first_key + 1);|return least(pair.keys, pair.first_query + row + i - pair.first_key + (planted(Fault::own_key_skipped) ? 0 : 1));|
s|over_queries<rows.value>(pair, width, key, pair.p, pair.dout, pair.dv);|over_queries<rows.value>(pair, width, key, planted(Fault::values_from_score_gradients) ? pair.ds : pair.p, pair.dout, pair.dv);|
s|for (std::int64_t g = 0; g < job.group; ++g)$|for (std::int64_t g = planted(Fault::first_head_of_group_lost); g < job.group; ++g)|
s|put_rows(pair.dk, pair.keys, width, job.head_dim, 1.0f,|put_rows(pair.dk, pair.keys, width, job.head_dim, planted(Fault::keys_not_scaled) ? 1.0f / job.scale : 1.0f,|
s|put_rows(job.dq_sums + g \* job.queries \* width, job.queries, width, job.head_dim, job.scale,|put_rows(job.dq_sums + g * job.queries * width, job.queries, width, job.head_dim, planted(Fault::queries_not_scaled) ? 1.0f : job.scale,|
s|pair.queries = least(query_block, job.queries - pair.first_query);|pair.queries = least(query_block, job.queries - pair.first_query); if (planted(Fault::later_query_blocks_skipped) \&\& pair.first_query > pair.first_key) break;|
