#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Python's pickle format (protocols 2 to 4) as far as torch.save uses it for tensors in mappings. Nothing is executed: a class or function
// that is not one of the few known ones makes an opaque value.
namespace lastro {

struct PickledTensor {
  std::string storage_type;   // "FloatStorage", "BFloat16Storage", ...
  std::string storage_key;    // the record data/<key> of the archive
  std::int64_t storage_elements = 0;
  std::int64_t offset = 0;   // elements
  std::vector<std::int64_t> sizes, strides;
};

struct Pickled;
using PickledItems = std::vector<Pickled>;
using PickledPairs = std::vector<std::pair<Pickled, Pickled>>;
struct PickledName {   // of a class or function: "torch._utils _rebuild_tensor_v2"
  std::string text;
};
struct PickledOpaque {};

struct Pickled {
  std::variant<PickledOpaque, bool, std::int64_t, std::string, PickledName, PickledTensor, PickledItems*, PickledPairs*> value;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  const PickledItems* items() const;   // null unless a list or tuple
  const PickledPairs* pairs() const;   // null unless a mapping
};

// A value and what it refers to. Lists, tuples and mappings may hold one another as often and as deep as they like, themselves included, so none of
// them owns another: the pickle owns them all.
struct Pickle {
  Pickled value;
  std::deque<PickledItems> lists;
  std::deque<PickledPairs> mappings;
};

// Throws std::runtime_error with the reason when the bytes are not a pickle of this kind.
Pickle read_pickle(std::span<const std::byte> bytes);

}   // namespace lastro
