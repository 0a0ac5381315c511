#pragma once

#include <cstdint>
#include <span>

#include "domain/workers.h"
#include "kernels/matrix.h"

namespace lastro::kernels {

// y [tokens.size(), width] = table rows by token. Errors: InternalError when shapes disagree or a token is outside the table.
void embedding_forward(Workers& workers, std::span<const std::int32_t> tokens, ConstMatrix table, Matrix y);

// dtable [vocabulary, width]: row `token` is carried on by one chain of additions over the positions of that token, ascending. With
// Start::output dtable may already hold the tied head's gradient (head first, then embedding); Start::zero clears dtable first. Errors: as above.
void embedding_backward(Workers& workers, std::span<const std::int32_t> tokens, ConstMatrix dy, Matrix dtable, Start start, Workspace workspace);
std::size_t embedding_workspace_bytes(std::int64_t tokens, std::int64_t vocabulary);

}   // namespace lastro::kernels
