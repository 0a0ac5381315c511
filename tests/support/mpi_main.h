#pragma once

#include "infra/mpi/mpi_session.h"

namespace lastro {

// The MPI session of a test program made by add_mpi_test.
MpiSession& session_of_test();

}   // namespace lastro
