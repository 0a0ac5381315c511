#pragma once

#include <filesystem>
#include <memory>

#include "model/tensor_source.h"

namespace lastro {

// As load_pt_file in torch_module.h, for programs that are linked with LibTorch.
std::unique_ptr<TensorSource> open_pt_file(const std::filesystem::path& file);

}   // namespace lastro
