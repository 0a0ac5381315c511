#pragma once

#include "app/command_line.h"

namespace lastro {

// One function a command; each returns the exit code. Those of the front run without MPI; those of a rank's program may compute.
int run_front(const Invocation& invocation);   // plan what is left; start the ranks when something is; verdict
int plan_command(const Invocation& invocation);
int schema_command();      // the manifest's JSON Schema
int reference_command();   // the manifest's fields, as Markdown
int gate_command(const Invocation& invocation);
int rollback_command(const Invocation& invocation);
int status_command(const Invocation& invocation);
int verify_command(const Invocation& invocation);
int diff_command(const Invocation& invocation);
int gc_command(const Invocation& invocation);
int doctor_command(const Invocation& invocation);
int tokenize_command(const Invocation& invocation);
int export_command(const Invocation& invocation);

// These compute, so they belong to the rank's program; the front passes them on.
int run_as_rank(const Invocation& invocation, int argc, char** argv);
int sample_command(const Invocation& invocation);
int score_command(const Invocation& invocation);
int audit_command(const Invocation& invocation);

}   // namespace lastro
