#include <cstdio>

#include "app/commands.h"
#include "app/verification.h"
#include "core/json.h"
#include "core/text_of_number.h"
#include "domain/errors.h"

namespace lastro {
namespace {

std::string words_for(const Damage& damage) {
  std::string words = damage.file;
  if (!damage.detail.empty()) words += " (" + damage.detail + ")";
  if (!damage.wanted.empty() || !damage.found.empty()) words += ": wanted " + damage.wanted + ", found " + damage.found;
  return words;
}

Node to_node(const Finding& finding) {
  const Damage& damage = finding.damage;
  Node node;
  node.set("file", damage.file);
  node.set("detail", damage.detail);
  node.set("wanted", damage.wanted);
  node.set("found", damage.found);
  node.set("remedy", finding.remedy);
  return node;
}

}   // namespace

int verify_command(const Invocation& invocation) {
  const Findings findings = verify_run(open_run(invocation));

  if (invocation.json) {
    Node damages = Node::sequence(), unfinished = Node::sequence();
    for (const Finding& finding : findings.damages) damages.push(to_node(finding));
    for (const std::string& save : findings.unfinished) unfinished.push(save);
    Node line;
    line.set("artifacts", findings.artifacts);
    line.set("checkpoints", findings.checkpoints);
    line.set("sources", findings.sources);
    line.set("damages", std::move(damages));
    line.set("unfinished", std::move(unfinished));
    std::printf("%s\n", to_json(line).c_str());
  } else {
    for (const std::string& save : findings.unfinished) std::printf("unfinished: %s\n", save.c_str());
    for (const Finding& finding : findings.damages)
      std::printf("damaged: %s\n  to mend it: %s\n", words_for(finding.damage).c_str(), finding.remedy.c_str());
    std::printf("%s, %s and %s hashed: %s\n", counted(findings.artifacts, "artifact").c_str(), counted(findings.checkpoints, "checkpoint").c_str(),
                counted(findings.sources, "source").c_str(),
                findings.damages.empty() ? "all as they were written" : (std::to_string(findings.damages.size()) + " damaged").c_str());
  }
  return static_cast<int>(findings.damages.empty() ? ExitCode::ok : ExitCode::contract);
}

}   // namespace lastro
