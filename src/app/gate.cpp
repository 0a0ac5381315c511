#include <cstdio>

#include "app/commands.h"
#include "app/conclude.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "core/gatekeeper.h"
#include "domain/errors.h"

namespace lastro {

int gate_command(const Invocation& invocation) {
  OpenedRun run = open_run(invocation);
  const Verdict verdict = judge_run(run.record, run.store);
  if (verdict.gates.empty()) print_error(no_gates_remark);
  if (invocation.json)
    print_json(*run.record.tree().find("verdict"));
  else
    std::printf("%s\n", verdict.to_string().c_str());
  return static_cast<int>(verdict.answer == Verdict::Answer::ship ? ExitCode::ok : ExitCode::hold);
}

}   // namespace lastro
