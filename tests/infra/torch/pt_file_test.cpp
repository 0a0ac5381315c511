#include "infra/torch/pt_file.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/arange.h>
#include <caffe2/serialize/inline_container.h>
#include <gmock/gmock.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <fstream>

#include "domain/errors.h"
#include "support/temporary_folder.h"

namespace lastro {
namespace {

using Dict = c10::Dict<std::string, at::Tensor>;

// As torch.save writes it.
void save(const std::filesystem::path& file, const c10::IValue& value) {
  const std::vector<char> bytes = torch::jit::pickle_save(value);
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(PtFile, ReadsNamedTensorsOfAnyFloatingType) {
  const TemporaryFolder folder;
  Dict state;
  state.insert("model.norm.weight", at::arange(3, at::kFloat));
  state.insert("_orig_mod.model.embed_tokens.weight", at::arange(6, at::kBFloat16).view({2, 3}).t());
  save(folder / "a.pt", state);

  const auto source = open_pt_file(folder / "a.pt");

  ASSERT_EQ(source->entries().size(), 2u);
  const auto* embedding = source->find("model.embed_tokens.weight");
  ASSERT_TRUE(embedding);
  EXPECT_THAT(embedding->shape, testing::ElementsAre(3, 2));
  std::vector<float> values(6);
  source->read(*embedding, values);
  EXPECT_THAT(values, testing::ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(PtFile, LooksUnderStateDict) {
  const TemporaryFolder folder;
  c10::Dict<std::string, Dict> outer;
  Dict state;
  state.insert("w", at::arange(2, at::kDouble));
  outer.insert("state_dict", state);
  save(folder / "b.pt", outer);

  EXPECT_EQ(open_pt_file(folder / "b.pt")->entries()[0].name, "w");
}

// {"w": a tensor of one element of a storage of 2^62}: in bytes of four, as many as fit into 64 bits no more.
TEST(PtFile, RefusesAStorageThatClaimsMoreThanItHas) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  const std::string pickle =
      "\x80\x02}X\x01\0\0\0w"
      "ctorch._utils\n_rebuild_tensor_v2\n"
      "((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0"
      "0X\x03\0\0\0cpu\x8a\x08\0\0\0\0\0\0\0\x40tQK\0K\x01\x85K\x01\x85tRs."s;
  const float number = 1;
  caffe2::serialize::PyTorchStreamWriter writer((folder / "claims.pt").string());
  writer.writeRecord("data.pkl", pickle.data(), pickle.size());
  writer.writeRecord("data/0", &number, sizeof number);
  writer.writeEndOfFile();

  const auto source = open_pt_file(folder / "claims.pt");
  std::vector<float> values(1);
  EXPECT_THROW(source->read(source->entries()[0], values), ContractError);
}

TEST(PtFile, RefusesWhatIsNoCheckpoint) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.pt") << "not a checkpoint";
  save(folder / "number.pt", 3);
  Dict integers;
  integers.insert("ids", at::arange(2, at::kLong));
  save(folder / "ids.pt", integers);

  EXPECT_THROW(open_pt_file(folder / "absent.pt"), EnvironmentError);
  EXPECT_THROW(open_pt_file(folder / "text.pt"), ContractError);
  EXPECT_THROW(open_pt_file(folder / "number.pt"), ContractError);
  const auto source = open_pt_file(folder / "ids.pt");
  std::vector<float> values(2);
  EXPECT_THROW(source->read(source->entries()[0], values), ContractError);
}

}   // namespace
}   // namespace lastro
