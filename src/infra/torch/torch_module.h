#pragma once

#include <filesystem>
#include <memory>

#include "model/oracle.h"
#include "model/tensor_source.h"

namespace lastro {

// LibTorch's half of the program, a shared object beside it that is loaded on the first call and stays. Linking it would cost every rank
// 0.2 s and 110 MB. Both throw EnvironmentError when this build has no LibTorch or it cannot be loaded.
std::unique_ptr<Oracle> load_torch_oracle();

// The tensors of a PyTorch checkpoint: a file that torch.save wrote from a state_dict, plain or inside a mapping under "state_dict" or
// "model". Nothing in the file is executed. Throws ContractError when it is not such a file.
std::unique_ptr<TensorSource> load_pt_file(const std::filesystem::path& file);

}   // namespace lastro
