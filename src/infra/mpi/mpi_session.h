#pragma once

#include <memory>

#include "core/collective.h"

namespace lastro {

// MPI from its start to its end; one a process. Errors: EnvironmentError (library "mpi", the call, its code, the rank).
class MpiSession {
 public:
  // Starts MPI so that several threads may speak, each over communicators of its own.
  MpiSession(int& argc, char**& argv);

  // Ends MPI together with all ranks. While an exception passes, the others would not come: then it aborts the job instead.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  // All ranks, over a communicator of their own. Call on every rank, in the same order.
  std::unique_ptr<Collective> ranks();

  // The same for a thread in the background: waits asleep, not spinning, so it takes no core from the ones that compute.
  std::unique_ptr<Collective> background_ranks();

  // Ends every rank of the job with this exit code, so that none waits for ever.
  [[noreturn]] void abort(int exit_code);

 private:
  int exceptions_at_start_;
};

}   // namespace lastro
