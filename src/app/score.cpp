#include <algorithm>

#include "app/commands.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "app/text_lines.h"
#include "app/wiring.h"
#include "model/decode.h"
#include "stages/model_weights.h"
#include "text/tokenizer.h"

namespace lastro {
namespace {

// Log-probabilities of ids[0..], each given all before it and the end-of-text token in front; a text longer than the context goes through in
// windows that overlap by half.
std::vector<float> score(const LoadedModel& model, const ModelWeights& weights, TokenId end_of_text, std::span<const TokenId> ids, Workers& workers) {
  std::vector<TokenId> row{end_of_text};
  row.insert(row.end(), ids.begin(), ids.end());
  const std::size_t context = model.shape().context;
  std::vector<float> all;
  for (std::size_t first = 1; first < row.size();) {
    const std::size_t begin = first == 1 ? 0 : first - (context + 1) / 2;
    const std::size_t end = std::min(row.size() - 1, begin + context);   // last target
    const std::vector<float> found = token_logprobs(model.shape(), weights, std::span(row).subspan(begin, end - begin + 1), workers);
    all.insert(all.end(), found.begin() + static_cast<std::ptrdiff_t>(first - begin - 1), found.end());
    first = end + 1;
  }
  return all;
}

}   // namespace

int score_command(const Invocation& invocation) {
  const OpenedRun run = open_run(invocation);
  const auto folder = newest_model(run).folder;
  const LoadedModel model(folder);
  const ModelWeights weights = model.weights();
  const BpeTokenizer tokenizer = BpeTokenizer::load(folder / "tokenizer");
  const auto workers = make_workers(threads_of(invocation));
  for_each_text(invocation.input, [&](std::string_view text) {
    const std::vector<TokenId> ids = tokenizer.encode(text);
    Node id_list = Node::sequence();
    for (const TokenId id : ids) id_list.push(static_cast<std::int64_t>(id));
    Node log_probs = Node::sequence();
    for (const float value : score(model, weights, tokenizer.end_of_text(), ids, *workers)) log_probs.push(static_cast<double>(value));
    Node line;
    line.set("ids", std::move(id_list));
    line.set("logprobs", std::move(log_probs));
    print_json(line);
    expect_stdout_takes();
  });
  return 0;
}

}   // namespace lastro
