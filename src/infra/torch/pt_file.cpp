#include "infra/torch/pt_file.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/import_read.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "domain/errors.h"

namespace lastro {

namespace {

using StateDict = c10::Dict<c10::IValue, c10::IValue>;

std::string without_prefix(std::string name) {
  // What torch.compile and DistributedDataParallel put in front.
  for (const std::string_view prefix : {"module.", "_orig_mod."})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

// The mapping of names to tensors: the file's value itself, or what it keeps under a customary key.
StateDict state_dict_of(const c10::IValue& value, const std::filesystem::path& file) {
  if (!value.isGenericDict())
    throw ContractError(file.string() + " holds a " + value.tagKind() + " (a mapping of names to tensors is wanted) save model.state_dict()");
  const StateDict dict = value.toGenericDict();
  for (const char* key : {"state_dict", "model"})
    if (const auto found = dict.find(key); found != dict.end() && found->value().isGenericDict()) return found->value().toGenericDict();
  return dict;
}

c10::IValue unpickle(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) throw EnvironmentError(file.string() + " cannot be read (no such file) check the path");
  try {
    caffe2::serialize::PyTorchStreamReader reader(file.string());
    // Python objects have no meaning here: a class in the file is refused, not made.
    return torch::jit::readArchiveAndTensors("data", "", "", std::nullopt, std::nullopt, at::Device(at::kCPU), reader);
  } catch (const std::exception& error) {
    const std::string why = error.what();
    throw ContractError(file.string() + " is not a PyTorch checkpoint of plain tensors (" + why.substr(0, why.find('\n')) + ") save model.state_dict()");
  }
}

class PtFile final : public TensorSource {
 public:
  explicit PtFile(const std::filesystem::path& file) {
    for (const auto& item : state_dict_of(unpickle(file), file))
      if (item.key().isString() && item.value().isTensor()) tensors_[without_prefix(item.key().toStringRef())] = item.value().toTensor();
    if (tensors_.empty()) throw ContractError(file.string() + " holds no named tensors (a state_dict is wanted) save model.state_dict()");
    for (const auto& [name, tensor] : tensors_) entries_.push_back({name, tensor.sizes().vec(), c10::toString(tensor.scalar_type())});
  }

  const std::vector<Entry>& entries() const override { return entries_; }

  void read(const Entry& entry, std::span<float> values) override {
    const at::Tensor& tensor = tensors_.at(entry.name);
    if (!at::isFloatingType(tensor.scalar_type()))
      throw ContractError("tensor " + entry.name + " has type " + entry.dtype + " (weights are floating point) dequantise the model first");
    const at::Tensor plain = tensor.to(at::kFloat).contiguous();
    if (plain.numel() != static_cast<std::int64_t>(values.size())) throw InternalError("tensor " + entry.name + " is of another size");
    std::memcpy(values.data(), plain.const_data_ptr<float>(), values.size_bytes());
  }

 private:
  std::map<std::string, at::Tensor> tensors_;
  std::vector<Entry> entries_;
};

}  // namespace

std::unique_ptr<TensorSource> open_pt_file(const std::filesystem::path& file) { return std::make_unique<PtFile>(file); }

}  // namespace lastro
