#include <cstdio>

#include "app/commands.h"
#include "app/terminal.h"
#include "app/verification.h"
#include "core/text_of_number.h"
#include "domain/errors.h"

namespace lastro {

int verify_command(const Invocation& invocation) {
  const Findings findings = verify_run(open_run(invocation));

  if (invocation.json) {
    Node unfinished = Node::sequence();
    for (const std::string& save : findings.unfinished) unfinished.push(save);
    Node line;
    line.set("artifacts", findings.artifacts);
    line.set("checkpoints", findings.checkpoints);
    line.set("sources", findings.sources);
    line.set("damages", to_node(findings.damages));
    line.set("unfinished", std::move(unfinished));
    print_json(line);
  } else {
    for (const std::string& save : findings.unfinished) std::printf("unfinished: %s\n", save.c_str());
    print(findings.damages);
    std::printf("%s, %s and %s hashed: %s\n", counted(findings.artifacts, "artifact").c_str(), counted(findings.checkpoints, "checkpoint").c_str(),
                counted(findings.sources, "source").c_str(),
                findings.damages.empty() ? "all as they were written" : (std::to_string(findings.damages.size()) + " damaged").c_str());
  }
  return static_cast<int>(findings.damages.empty() ? ExitCode::ok : ExitCode::contract);
}

}   // namespace lastro
