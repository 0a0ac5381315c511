#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/digest.h"

namespace lastro {

// What an artifact is. Names are those of manifests, records and messages.
enum class ArtifactType { vocabulary, tokenizer, dataset, checkpoint, sft_model, reward_model, policy, eval_report };

struct ArtifactTypeName {
  ArtifactType type;
  std::string_view name;
};
inline constexpr std::array artifact_type_names{
    ArtifactTypeName{ArtifactType::vocabulary, "vocabulary"}, ArtifactTypeName{ArtifactType::tokenizer, "tokenizer"},
    ArtifactTypeName{ArtifactType::dataset, "dataset"},       ArtifactTypeName{ArtifactType::checkpoint, "checkpoint"},
    ArtifactTypeName{ArtifactType::sft_model, "sft_model"},   ArtifactTypeName{ArtifactType::reward_model, "reward_model"},
    ArtifactTypeName{ArtifactType::policy, "policy"},         ArtifactTypeName{ArtifactType::eval_report, "eval_report"},
};
constexpr std::string_view name_of(ArtifactType type) {
  for (const auto& entry : artifact_type_names)
    if (entry.type == type) return entry.name;
  return "?";
}

// An immutable, typed, verified folder of the store. Types do not convert into each other.
template <ArtifactType T>
class Artifact {
 public:
  static constexpr ArtifactType type = T;
  explicit Artifact(Digest digest, std::filesystem::path folder) : digest_(digest), folder_(std::move(folder)) {}
  const Digest& digest() const { return digest_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  Digest digest_;
  std::filesystem::path folder_;
};

using Vocabulary = Artifact<ArtifactType::vocabulary>;
using Tokenizer = Artifact<ArtifactType::tokenizer>;
using Dataset = Artifact<ArtifactType::dataset>;
using Checkpoint = Artifact<ArtifactType::checkpoint>;
using SftModel = Artifact<ArtifactType::sft_model>;
using RewardModel = Artifact<ArtifactType::reward_model>;
using Policy = Artifact<ArtifactType::policy>;
using EvalReport = Artifact<ArtifactType::eval_report>;

// Any artifact that a language model can be read from.
class AnyModel {
 public:
  AnyModel(const Checkpoint& model) : AnyModel(Checkpoint::type, model.digest(), model.folder()) {}
  AnyModel(const SftModel& model) : AnyModel(SftModel::type, model.digest(), model.folder()) {}
  AnyModel(const Policy& model) : AnyModel(Policy::type, model.digest(), model.folder()) {}
  static constexpr std::array accepts{ArtifactType::checkpoint, ArtifactType::sft_model, ArtifactType::policy};
  static constexpr bool is_one(ArtifactType type) { return std::find(accepts.begin(), accepts.end(), type) != accepts.end(); }
  ArtifactType type() const { return type_; }
  const Digest& digest() const { return digest_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  AnyModel(ArtifactType type, Digest digest, std::filesystem::path folder) : type_(type), digest_(digest), folder_(std::move(folder)) {}
  ArtifactType type_;
  Digest digest_;
  std::filesystem::path folder_;
};

}   // namespace lastro
