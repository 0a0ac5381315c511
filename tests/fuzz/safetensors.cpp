// A safetensors file: it is refused, or each tensor is read, or refused for its type.
#include "model/safetensors.h"

#include "fuzz_target.h"

namespace lastro {

void must_hold_for(std::string_view bytes) {
  const auto file = fuzz_file("model.safetensors", bytes);
  reads_or_refuses([&] {
    SafetensorsSource source(file);
    for (const auto& entry : source.entries()) {
      require(entry.elements() >= 0);
      if (entry.elements() > static_cast<std::int64_t>(bytes.size())) continue;   // of a type without a size, or of none
      std::vector<float> values(static_cast<std::size_t>(entry.elements()));
      reads_or_refuses([&] { source.read(entry, values); });
    }
  });
}

std::vector<std::string> good_inputs() {
  const auto file = fuzz_folder() / "good.safetensors";
  SafetensorsWriter writer(file, {{"a", {2, 3}}, {"b", {}}});
  writer.write(std::vector<float>(7, 0.5f));
  writer.finish();
  const std::string header =
      R"({"h": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}, "z": {"dtype": "I4", "shape": [0], "data_offsets": [4, 4]}})";
  return {bytes_of(file), std::string{static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0} + header + "abcd"};
}

}   // namespace lastro
