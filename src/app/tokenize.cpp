#include <array>

#include "app/commands.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "app/text_lines.h"
#include "text/tokenizer.h"

namespace lastro {

int tokenize_command(const Invocation& invocation) {
  const OpenedRun run = open_run(invocation);
  const BpeTokenizer tokenizer = BpeTokenizer::load(newest_artifact(run, std::array{ArtifactType::tokenizer}).folder);
  BpeEncoder encoder(tokenizer);
  std::vector<TokenId> ids;
  for_each_text(invocation.input, [&](std::string_view text) {
    ids.clear();
    encoder.encode(text, ids);
    Node list = Node::sequence();
    for (const TokenId id : ids) list.push(static_cast<std::int64_t>(id));
    Node line;
    line.set("ids", std::move(list));
    print_json(line);
    expect_stdout_takes();
  });
  return 0;
}

}   // namespace lastro
