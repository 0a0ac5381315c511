#pragma once

#include <filesystem>
#include <vector>

#include "core/stage.h"
#include "data/dataset_layout.h"
#include "eval/bits_per_byte.h"
#include "model/decode.h"
#include "text/tokenizer.h"

namespace lastro {

// A split as one row of tokens, source after source, each document with its end-of-document token; the first token is one too, so that every
// token of the text has something before it.
using TokenRow = std::vector<TokenId>;
// At most `most_tokens` tokens after the first.
TokenRow read_row(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, Split split, std::int64_t most_tokens);

// The last tokens of a split, in the order of read_row.
std::vector<TokenId> read_last_tokens(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, Split split,
                                      std::int64_t most_tokens);

// Where a window begins and which of its targets count: tokens[begin, end] go through the model, targets [first, end] are scored.
struct Window {
  std::int64_t begin;
  std::int64_t first;   // first scored target
  std::int64_t end;     // last target
};

// Windows of at most `context` inputs that score each target once, in order. Each scored target has at least `overlap` x context tokens before
// it, but at the row's start. Requires: 0 <= overlap < 1.
std::vector<Window> windows_over(std::int64_t tokens, std::int64_t context, double overlap);

// Scores a row; window k is rank k mod N's. Every rank gets all windows, with the same bits for any number of ranks and workers.
// End-of-document tokens are scored too: they cost bits and have no bytes, as a compressor has to say where documents end.
// A rank that is asked to stop ends early, and what is returned is worth nothing then (data/together.h tells all ranks).
std::vector<ScoredWindow> score_row(const TokenRow& row, const std::vector<Window>& windows, const ModelShape& shape, const ModelWeights& weights,
                                    const BpeTokenizer& tokenizer, RunContext& run);

}   // namespace lastro
