set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

option(LASTRO_TESTS "Build the tests" ON)
option(LASTRO_FUZZ "Build the fuzzing programs (clang alone)" OFF)
set(LASTRO_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")
set(LASTRO_TORCH "" CACHE PATH "A folder with LibTorch (include/, lib/): builds the oracle, audit and the reader of PyTorch checkpoints")

# The two programs lie side by side here, as they do when installed.
set(LASTRO_BIN_DIR ${PROJECT_BINARY_DIR}/bin)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
