#include "model/init.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/random.h"
#include "domain/errors.h"
#include "domain/workers.h"
#include "kernels/normal.h"
#include "model/tensors.h"

namespace lastro {

namespace {

// FNV-1a: a number for a name, equal everywhere.
std::uint64_t number_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

bool adds_to_residual(std::string_view name) { return name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight"); }

// Radford et al. 2019 (GPT-2): the residual stream's variance must not grow with the number of branches.
double deviation_of(const ModelShape& shape, std::string_view name) {
  return adds_to_residual(name) ? shape.init_std / std::sqrt(2.0 * static_cast<double>(shape.layers)) : shape.init_std;
}

// How many numbers of a tensor are true weights; the rest are padding rows of the vocabulary.
std::int64_t true_elements(const ModelShape& shape, const NamedTensor& tensor) {
  const bool by_token = tensor.name == "model.embed_tokens.weight" || tensor.name == "lm_head.weight";
  return by_token ? shape.vocabulary * tensor.columns : tensor.elements();
}

void fill(const ModelShape& shape, std::uint64_t seed, const NamedTensor& tensor, Interval part, std::span<float> values) {
  if (tensor.is_vector) return std::fill(values.begin(), values.end(), 1.0f);
  const auto true_count = static_cast<std::size_t>(std::clamp<std::int64_t>(true_elements(shape, tensor) - part.begin, 0, part.size()));
  OneWorker here;
  kernels::fill_normal(here, random_key(seed, Purpose::weights), number_of(tensor.name), static_cast<std::uint64_t>(part.begin), 0.0,
                       deviation_of(shape, tensor.name), values.first(true_count));
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(true_count), values.end(), 0.0f);
}

}   // namespace

void initialise(const ModelShape& shape, std::uint64_t seed, int unit, Interval part, std::span<float> values) {
  if (static_cast<std::int64_t>(values.size()) != part.size()) throw InternalError("initialise: values are not as many as the interval says");
  const UnitTensors tensors = unit_tensors(shape).at(static_cast<std::size_t>(unit));
  for (const auto& tensor : tensors.tensors) {
    const std::int64_t begin = std::max(part.begin, tensor.offset), end = std::min(part.end, tensor.interval().end);
    if (begin >= end) continue;
    fill(shape, seed, tensor, {begin - tensor.offset, end - tensor.offset},
         values.subspan(static_cast<std::size_t>(begin - part.begin), static_cast<std::size_t>(end - begin)));
  }
}

}   // namespace lastro
