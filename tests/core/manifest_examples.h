#pragma once

#include <string>

namespace lastro {

// A manifest of the toy stages in which all is well.
inline const std::string good_manifest = R"(pipeline_version: 1.0.0
name: dev
seed: 7
budget: {cost_usd: 1.00}
rates: {usd_per_device_hour: 0.04, peak_tflops: auto, utilization: 0.40}
sources:
  prose: {path: prose.txt, weight: 2, licence: GPL, sha256: auto}
  jargon: {path: [a.md, b.md], format: markdown}
  tales: {generated: {kind: stories, seed: 3, bytes: 5000}}
stages:
  01_vocabulary: {kind: vocabulary, inputs: {text: [prose, jargon]}, settings: {size: 4096}}
  02_tokenizer: {kind: tokenizer, inputs: {vocabulary: 01_vocabulary}}
  03_dataset: {kind: dataset, inputs: {tokenizer: 02_tokenizer, text: [prose, jargon], evaluation: tales}}
  04_pretrain:
    kind: pretrain
    recipe: small
    inputs: {dataset: 03_dataset}
    settings:
      steps: 200
    expect: {output_hash: null}
  10_evaluate: {kind: evaluate, inputs: {model: 04_pretrain, dataset: 03_dataset}}
reference: null
baseline: null
gates:
  bits_per_byte: "<= xz"
  cost_total_usd: "<= 1.00"
)";

// `text` with the first `from` in it replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == text.npos ? "the test's manifest has no " + from : text.replace(at, from.size(), to);
}

}   // namespace lastro
