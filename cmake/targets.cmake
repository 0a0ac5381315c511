# Flags that every target shares. Products and sums are fused where the source says std::fma and nowhere else
# (g++ would contract a*b+c by itself, differently in each function clone).
add_library(lastro_flags INTERFACE)
target_compile_options(lastro_flags INTERFACE -ffp-contract=off -fno-math-errno -Wall -Wextra -Wpedantic -Werror=return-type -Wno-missing-field-initializers)
target_include_directories(lastro_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/kernels/include)
if(LASTRO_SANITIZE)
  target_compile_options(lastro_flags INTERFACE -fsanitize=${LASTRO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(lastro_flags INTERFACE -fsanitize=${LASTRO_SANITIZE})
endif()

if(LASTRO_FUZZ)
  target_compile_options(lastro_flags INTERFACE -fsanitize=fuzzer-no-link)   # libFuzzer sees which way each input goes
endif()

# Adds each folder that holds a room.
function(lastro_rooms)
  foreach(room IN LISTS ARGN)
    if(EXISTS ${PROJECT_SOURCE_DIR}/${room}/CMakeLists.txt)
      add_subdirectory(${PROJECT_SOURCE_DIR}/${room} ${PROJECT_BINARY_DIR}/${room})
    endif()
  endforeach()
endfunction()

# lastro_library(text SOURCES a.cpp b.cpp ROOMS core domain LIBRARIES ZLIB::ZLIB)
# One target a folder: lastro_text. ROOMS are other rooms, LIBRARIES outside ones (linked PRIVATE).
function(lastro_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_ROOMS PREPEND lastro_ OUTPUT_VARIABLE rooms)
  if(ARG_SOURCES)
    add_library(lastro_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(lastro_${name} PUBLIC lastro_flags ${rooms} PRIVATE ${ARG_LIBRARIES})
  else()
    add_library(lastro_${name} INTERFACE)
    target_link_libraries(lastro_${name} INTERFACE lastro_flags ${rooms})
  endif()
endfunction()

# What `tools/test --sanitize` builds, without optimisation (half the time, and none of g++'s false warnings about variants under sanitizers):
# the test programs without MPI and LibTorch, whose own code the sanitizers would report on.
add_custom_target(unit_tests)

# lastro_test(text SOURCES bpe_test.cpp ROOMS text LIBRARIES ...): one GoogleTest program a folder, test_text.
function(lastro_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_ROOMS PREPEND lastro_ OUTPUT_VARIABLE rooms)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_${name} PRIVATE lastro_flags ${rooms} ${ARG_LIBRARIES} GTest::gmock_main)
  set(labels)
  if(NOT "mpi" IN_LIST ARG_ROOMS AND NOT "torch" IN_LIST ARG_ROOMS)
    add_dependencies(unit_tests test_${name})
    set(labels LABELS unit)
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. PROPERTIES TIMEOUT ${ARG_TIMEOUT} ${labels} DISCOVERY_TIMEOUT 60)
endfunction()
