#pragma once

#include <filesystem>
#include <memory>

#include "model/oracle.h"
#include "model/tensor_source.h"

namespace lastro {

// What lastro-torch.so gives: its one symbol, void lastro_torch_plugin(TorchPlugin*), fills this in.
struct TorchPlugin {
  std::unique_ptr<Oracle> (*make_oracle)();
  std::unique_ptr<TensorSource> (*open_pt_file)(const std::filesystem::path& file);
};
inline constexpr const char* torch_plugin_entry = "lastro_torch_plugin";

}   // namespace lastro
