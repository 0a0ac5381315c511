# add_mpi_test(mpi RANKS 1 2 3 4 SOURCES mpi_collective_test.cpp ROOMS mpi [TIMEOUT seconds])
# One GoogleTest program, test_mpi, that starts MPI itself (its main is tests/support/mpi_main.cpp) and is run once for each number of ranks.
function(add_mpi_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "RANKS;SOURCES;ROOMS;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_ROOMS PREPEND lastro_ OUTPUT_VARIABLE rooms)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  find_package(MPI REQUIRED COMPONENTS CXX)
  add_executable(test_${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
  target_link_libraries(test_${name} PRIVATE lastro_flags lastro_mpi ${rooms} ${ARG_LIBRARIES} GTest::gmock)
  foreach(ranks IN LISTS ARG_RANKS)
    add_test(NAME ${name}.ranks-${ranks} COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe -n ${ranks} $<TARGET_FILE:test_${name}>)
    set_tests_properties(${name}.ranks-${ranks} PROPERTIES
      PROCESSORS ${ranks}
      TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1")
  endforeach()
endfunction()
