# Compiles SOURCE and demands that each `// refused: WORDS` of it occurs in what the compiler says.
set(ENV{LC_ALL} C)
execute_process(
  COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${ROOT}/src -I${ROOT} ${SOURCE}
  RESULT_VARIABLE status
  ERROR_VARIABLE said)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, and must not")
endif()
file(STRINGS ${SOURCE} lines REGEX "^// refused: ")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^// refused: " "" words "${line}")
  string(FIND "${said}" "${words}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${SOURCE} is not refused with\n  ${words}\nbut with\n${said}")
  endif()
endforeach()
