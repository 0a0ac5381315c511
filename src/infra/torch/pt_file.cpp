#include "infra/torch/pt_file.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "domain/errors.h"
#include "infra/torch/pickle.h"

namespace lastro {

namespace {

std::string without_prefix(std::string name) {
  // What torch.compile and DistributedDataParallel put in front.
  for (const std::string_view prefix : {"module.", "_orig_mod."})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

const Pickled* under(const PickledPairs& pairs, std::string_view key) {
  for (const auto& [name, value] : pairs)
    if (const auto* text = name.as<std::string>(); text && *text == key) return &value;
  return nullptr;
}

// The mapping of names to tensors: the file's value itself, or what it keeps under a customary key.
const PickledPairs& state_dict_of(const Pickled& value, const std::filesystem::path& file) {
  const PickledPairs* pairs = value.pairs();
  if (!pairs) throw ContractError(file.string() + " holds no mapping of names to tensors (a state_dict is wanted) save model.state_dict()");
  for (const auto* key : {"state_dict", "model"})
    if (const Pickled* inner = under(*pairs, key); inner && inner->pairs()) return *inner->pairs();
  return *pairs;
}

// Types that a weight may have, by the names of PyTorch's storages.
std::optional<at::ScalarType> floating_type(const std::string& storage_type) {
  if (storage_type == "FloatStorage") return at::kFloat;
  if (storage_type == "BFloat16Storage") return at::kBFloat16;
  if (storage_type == "HalfStorage") return at::kHalf;
  if (storage_type == "DoubleStorage") return at::kDouble;
  return std::nullopt;
}

// Whether the tensor's elements can be counted, and all places that sizes and strides reach lie in the storage.
bool fits(const PickledTensor& tensor) {
  if (tensor.storage_elements < 0 || tensor.offset < 0 || tensor.sizes.size() != tensor.strides.size()) return false;
  std::int64_t elements = 1, last = tensor.offset;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    std::int64_t reach = 0;
    if (tensor.sizes[i] < 0 || tensor.strides[i] < 0 || __builtin_mul_overflow(elements, tensor.sizes[i], &elements)) return false;
    if (__builtin_mul_overflow(std::max<std::int64_t>(tensor.sizes[i] - 1, 0), tensor.strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return false;
  }
  return elements == 0 || last < tensor.storage_elements;
}

class PtFile final : public TensorSource {
 public:
  explicit PtFile(const std::filesystem::path& file) : file_(file) {
    if (!std::filesystem::is_regular_file(file)) throw EnvironmentError(file.string() + " cannot be read (no such file) check the path");
    const Pickle pickle = open();
    for (const auto& [name, tensor] : state_dict_of(pickle.value, file))
      if (name.as<std::string>() && tensor.as<PickledTensor>()) add(without_prefix(*name.as<std::string>()), *tensor.as<PickledTensor>());
    if (tensors_.empty()) throw ContractError(file.string() + " holds no named tensors (a state_dict is wanted) save model.state_dict()");
    for (const auto& [name, tensor] : tensors_) entries_.push_back({name, tensor.sizes, tensor.storage_type});
  }

  const std::vector<Entry>& entries() const override { return entries_; }

  void read(const Entry& entry, std::span<float> values) override {
    const PickledTensor& tensor = tensors_.at(entry.name);
    const auto type = floating_type(tensor.storage_type);
    if (!type) throw ContractError("tensor " + entry.name + " has type " + entry.dtype + " (weights are floating point) dequantise the model first");
    if (entry.elements() != static_cast<std::int64_t>(values.size())) throw InternalError("tensor " + entry.name + " is of another size");
    const auto [data, bytes] = record("data/" + tensor.storage_key);
    if (bytes / c10::elementSize(*type) < static_cast<std::size_t>(tensor.storage_elements))
      refuse("the storage of tensor " + entry.name + " is too short");
    const at::Tensor storage = at::from_blob(data.get(), {tensor.storage_elements}, at::TensorOptions(*type));
    const at::Tensor plain = storage.as_strided(tensor.sizes, tensor.strides, tensor.offset).to(at::kFloat).contiguous();
    std::memcpy(values.data(), plain.const_data_ptr<float>(), values.size_bytes());
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ContractError(file_.string() + " is not a PyTorch checkpoint of plain tensors (" + why.substr(0, why.find('\n')) +
                        ") save model.state_dict()");
  }

  // LibTorch's reader of the archive throws its own kinds of exceptions, with a backtrace behind the first line.
  std::tuple<at::DataPtr, std::size_t> record(const std::string& name) {
    try {
      return reader_->getRecord(name);
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  }

  Pickle open() {
    try {
      reader_ = std::make_unique<caffe2::serialize::PyTorchStreamReader>(file_.string());
      const auto [data, bytes] = reader_->getRecord("data.pkl");
      return read_pickle({static_cast<const std::byte*>(data.get()), bytes});
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  }

  void add(const std::string& name, const PickledTensor& tensor) {
    if (!fits(tensor)) refuse("tensor " + name + " reaches beyond its storage");
    tensors_[name] = tensor;
  }

  std::filesystem::path file_;
  std::unique_ptr<caffe2::serialize::PyTorchStreamReader> reader_;
  std::map<std::string, PickledTensor> tensors_;
  std::vector<Entry> entries_;
};

}   // namespace

std::unique_ptr<TensorSource> open_pt_file(const std::filesystem::path& file) { return std::make_unique<PtFile>(file); }

}   // namespace lastro
