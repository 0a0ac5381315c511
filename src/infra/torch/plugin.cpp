#include "infra/torch/plugin.h"

#include "infra/torch/pt_file.h"
#include "infra/torch/torch_oracle.h"

extern "C" void lastro_torch_plugin(lastro::TorchPlugin* plugin) { *plugin = {lastro::make_torch_oracle, lastro::open_pt_file}; }
