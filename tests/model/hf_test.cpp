#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/json.h"
#include "domain/errors.h"
#include "model/hf_export.h"
#include "model/hf_import.h"
#include "model/safetensors.h"
#include "support/small_model.h"
#include "support/temporary_folder.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

// A safetensors file from its JSON and data.
void write_file(const std::filesystem::path& file, const std::string& json, const std::string& data) {
  std::string length(8, '\0');
  for (int i = 0; i < 8; ++i) length[static_cast<std::size_t>(i)] = static_cast<char>(json.size() >> (8 * i));
  write_text(file, length + json + data);
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class HuggingFace : public testing::Test {
 protected:
  void export_model(const SmallModel& model, const HfTokens& tokens = {}) {
    const auto weights = model.weights();
    export_hf(
        model.shape, tokens,
        [&](int unit, Interval part, std::span<float> values) {
          std::copy_n(weights[static_cast<std::size_t>(unit)].begin() + part.begin, part.size(), values.begin());
        },
        folder());
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(HuggingFace, ImportsWhatWasExported) {
  for (const bool tied : {true, false}) {
    ModelShape shape = odd_shape();
    shape.tied = tied;
    shape.rope_theta = 500000.0;
    const SmallModel model(shape);
    export_model(model);

    const ModelShape read = shape_from_hf(folder(), 16);
    SafetensorsSource source(folder());

    EXPECT_EQ(read, shape);
    EXPECT_NO_THROW(check_all_used(source, shape));
    for (int unit = 0; unit < unit_count(shape); ++unit) {
      const auto wanted = model.weights()[static_cast<std::size_t>(unit)];
      std::vector<float> values(wanted.size(), -7.0f);
      import_unit(source, shape, unit, values);
      EXPECT_TRUE(std::equal(values.begin(), values.end(), wanted.begin())) << "unit " << unit;
    }
  }
}

TEST_F(HuggingFace, WritesTheKeysOfTransformers4And5) {
  export_model(SmallModel(odd_shape()), {.bos = 1, .eos = {2, 3}, .pad = {}});

  const Node config = parse_json(text_of(folder() / "config.json"), "config");
  const Node generation = parse_json(text_of(folder() / "generation_config.json"), "generation");

  EXPECT_EQ(config.at("vocab_size").integer(), 37);   // padding rows are left out
  EXPECT_EQ(config.at("rope_theta").number(), 10000.0);
  EXPECT_EQ(config.at("rope_parameters").at("rope_theta").number(), 10000.0);
  EXPECT_EQ(config.at("torch_dtype"), config.at("dtype"));
  EXPECT_EQ(config.at("architectures").items()[0].text(), "LlamaForCausalLM");
  EXPECT_EQ(generation.at("eos_token_id").items().size(), 2u);
  EXPECT_EQ(generation.at("bos_token_id").integer(), 1);
}

TEST_F(HuggingFace, LeavesOutATiedOutputMatrixAndStatesPytorch) {
  export_model(SmallModel(odd_shape()));

  const std::string file = text_of(folder() / "model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const Node header = parse_json(file.substr(8, length), "header");

  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(header.at("__metadata__").at("format").text(), "pt");
  EXPECT_EQ(header.find("lm_head.weight"), nullptr);
  EXPECT_EQ(header.at("model.embed_tokens.weight").at("shape").items()[0].integer(), 37);
}

TEST_F(HuggingFace, RefusesModelsOfAnotherClassByTheirKey) {
  export_model(SmallModel(odd_shape()));
  const Node whole = parse_json(text_of(folder() / "config.json"), "config");
  const auto refusal = [&](std::string_view key, Node value) {
    Node config = whole;
    config.set(key, std::move(value));
    write_text(folder() / "config.json", to_json(config));
    return message_of([&] { shape_from_hf(folder(), 16); });
  };
  Node scaled = Node::mapping();
  scaled.set("rope_type", "yarn");

  EXPECT_THAT(refusal("model_type", "gpt2"), HasSubstr("model_type is gpt2"));
  EXPECT_THAT(refusal("hidden_act", "gelu"), HasSubstr("hidden_act is gelu"));
  EXPECT_THAT(refusal("attention_bias", true), HasSubstr("attention_bias is true"));
  EXPECT_THAT(refusal("rope_parameters", scaled), HasSubstr("yarn"));
  EXPECT_THAT(refusal("hidden_size", "wide"), HasSubstr("hidden_size"));
}

TEST_F(HuggingFace, NamesATensorThatIsMissingMisshapenOrUnknown) {
  const ModelShape shape = odd_shape();
  export_model(SmallModel(shape));
  SafetensorsSource source(folder());
  ModelShape deeper = shape, wider = shape, shallower = shape;
  deeper.layers = 3;
  wider.ffn = 28;
  shallower.layers = 1;
  const auto importing = [&](const ModelShape& wanted, int unit) {
    std::vector<float> values(static_cast<std::size_t>(unit_tensors(wanted)[static_cast<std::size_t>(unit)].elements()));
    return message_of([&] { import_unit(source, wanted, unit, values); });
  };

  EXPECT_THAT(importing(deeper, block_unit(2)), HasSubstr("model.layers.2.input_layernorm.weight is missing"));
  EXPECT_THAT(importing(wider, block_unit(0)), HasSubstr("model.layers.0.mlp.gate_proj.weight has shape [27, 21] (wanted [28, 21])"));
  EXPECT_THAT(message_of([&] { check_all_used(source, shallower); }), HasSubstr("tensor model.layers.1."));
}

TEST_F(HuggingFace, ReadsSmallerTypesExactly) {
  const auto file = folder() / "small.safetensors";
  write_file(file, R"({"b":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},"h":{"dtype":"F16","shape":[3],"data_offsets":[4,10]}})",
             std::string("\x80\x3f\x00\xc0", 4) + std::string("\x00\x3c\x01\x00\x00\xfc", 6));
  SafetensorsSource source(file);
  std::vector<float> b(2), h(3);

  source.read(*source.find("b"), b);
  source.read(*source.find("h"), h);

  EXPECT_THAT(b, ElementsAre(1.0f, -2.0f));
  EXPECT_THAT(h, ElementsAre(1.0f, 0x1p-24f, -std::numeric_limits<float>::infinity()));
}

TEST_F(HuggingFace, ReadsShardsThroughTheirIndex) {
  write_file(folder() / "model-1.safetensors", R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", std::string("\x00\x00\x80\x3f", 4));
  write_file(folder() / "model-2.safetensors", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", std::string("\x00\x00\x00\x40", 4));
  write_text(folder() / "model.safetensors.index.json", R"({"metadata":{},"weight_map":{"x":"model-1.safetensors","a":"model-2.safetensors"}})");
  SafetensorsSource source(folder());
  std::vector<float> a(1);

  source.read(*source.find("a"), a);

  EXPECT_EQ(a[0], 2.0f);
  EXPECT_EQ(source.entries()[0].name, "a");
  write_text(folder() / "model.safetensors.index.json", R"({"weight_map":{"x":"../model-1.safetensors"}})");
  EXPECT_THROW(SafetensorsSource{folder()}, ContractError);
}

TEST_F(HuggingFace, RefusesWhatTheFormatForbids) {
  const auto file = folder() / "bad.safetensors";
  const auto refusal = [&](const std::string& json, const std::string& data) {
    write_file(file, json, data);
    return message_of([&] { SafetensorsSource{file}; });
  };
  const std::string four(4, '\0'), eight(8, '\0');

  EXPECT_THAT(refusal(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", eight), HasSubstr("begins at 4 and not at 0"));
  EXPECT_THAT(refusal(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", eight), HasSubstr("take 4 bytes and there are 8"));
  EXPECT_THAT(refusal(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", four), HasSubstr("do not fit its shape"));
  EXPECT_THAT(refusal(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", four), HasSubstr("no natural number"));
  EXPECT_THAT(refusal(R"({"x":{"shape":[1],"data_offsets":[0,4]}})", four), HasSubstr("lacks dtype"));
  EXPECT_THAT(refusal(R"({"x":)", four), HasSubstr("bad.safetensors"));
  EXPECT_THAT(refusal(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", four),
              HasSubstr("begins at 0 and not at 4"));
  write_text(file, "short");
  EXPECT_THAT(message_of([&] { SafetensorsSource{file}; }), HasSubstr("fewer than 8 bytes"));
  write_text(file, std::string(8, '\xff'));
  EXPECT_THAT(message_of([&] { SafetensorsSource{file}; }), HasSubstr("its header is"));
  EXPECT_THROW(SafetensorsSource{folder() / "absent"}, EnvironmentError);
  EXPECT_THROW(SafetensorsSource{"/proc"}, EnvironmentError) << "a folder without a model";
  std::filesystem::create_symlink("/proc/self/mem", folder() / "model.safetensors.index.json");
  EXPECT_THAT(message_of([&] { SafetensorsSource{folder()}; }), HasSubstr("cannot be read (Input/output error)"));
}

}   // namespace
}   // namespace lastro
