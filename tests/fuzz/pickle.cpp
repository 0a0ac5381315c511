// The pickle in a PyTorch checkpoint: reading ends with a value or with a reason.
#include "infra/torch/pickle.h"

#include <stdexcept>

#include "fuzz_target.h"

namespace lastro {

void must_hold_for(std::string_view bytes) {
  try {
    read_pickle(std::as_bytes(std::span(bytes)));
  } catch (const std::runtime_error&) {}
}

std::vector<std::string> good_inputs() {
  using namespace std::string_literals;
  return {
      "\x80\x02}(X\x01\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\n"s
      "X\x01\0\0\0"s
      "0X\x03\0\0\0cpuK\x06tQK\0K\x02K\x03\x86K\x03K\x01\x86\x89"s
      "ccollections\nOrderedDict\n)RtRq\x01X\x01\0\0\0vh\x01u."s};
}

}   // namespace lastro
