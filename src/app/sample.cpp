#include <cmath>

#include "app/commands.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "app/wiring.h"
#include "domain/errors.h"
#include "infer/generate.h"
#include "stages/model_weights.h"
#include "text/incremental_decoder.h"
#include "text/tokenizer.h"

namespace lastro {

int sample_command(const Invocation& invocation) {
  if (std::isnan(invocation.temperature) || std::isnan(invocation.top_p))
    throw UsageError("--temperature or --top-p is nan (it is no number) give one, or leave it out");
  const OpenedRun run = open_run(invocation);
  const auto folder = newest_model(run).folder;
  const LoadedModel model(folder);
  const BpeTokenizer tokenizer = BpeTokenizer::load(folder / "tokenizer");
  const auto workers = make_workers(threads_of(invocation));

  std::vector<TokenId> prompt{tokenizer.end_of_text()};
  const std::vector<TokenId> words = tokenizer.encode(invocation.prompt);
  prompt.insert(prompt.end(), words.begin(), words.end());
  Decoder decoder(model.shape(), model.weights(), 1, model.shape().context, *workers);
  const Generation generation{.sampling = {.temperature = invocation.temperature, .top_k = invocation.top_k, .top_p = invocation.top_p},
                              .max_tokens = invocation.tokens,
                              .stops = {tokenizer.end_of_text()},
                              .seed = static_cast<std::uint64_t>(invocation.seed)};
  IncrementalDecoder text(tokenizer);
  const auto say = [&](std::string_view piece) {
    if (invocation.json) return;
    print(piece);
    flush_stdout();
    expect_stdout_takes();
  };
  say(invocation.prompt);
  const Generated made = generate(decoder, prompt, generation, [&](TokenId token) {
    if (token != tokenizer.end_of_text()) say(text.push(token));
  });
  say(text.finish());
  say("\n");
  const bool is_full = made.finish != Finish::stop && static_cast<std::int64_t>(made.tokens.size()) < invocation.tokens;
  if (is_full) print_error("the model's context of " + std::to_string(model.shape().context) + " tokens is full; what it wrote ends there");
  if (invocation.json) {
    Node line;
    line.set("prompt", invocation.prompt);
    line.set("text", tokenizer.decode(made.tokens));
    line.set("tokens", static_cast<std::int64_t>(made.tokens.size()));
    line.set("finish", made.finish == Finish::stop ? "stop" : is_full ? "context" : "length");
    print_json(line);
  }
  return 0;
}

}   // namespace lastro
