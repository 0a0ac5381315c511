# Compiles SOURCE and demands that each `// refused: WORDS` of it matches a line that the compiler says.
set(ENV{LC_ALL} C)
execute_process(
  COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${ROOT}/src -I${ROOT} ${SOURCE}
  RESULT_VARIABLE status
  ERROR_VARIABLE said)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, and must not")
endif()
string(REPLACE ";" "," said "${said}")
string(REPLACE "[" "(" said "${said}")   # a list would not end at a bracket that is open
string(REPLACE "]" ")" said "${said}")
string(REPLACE "\n" ";" said_lines "${said}")
file(STRINGS ${SOURCE} lines REGEX "^// refused: ")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^// refused: " "" words "${line}")
  set(matches ${said_lines})
  list(FILTER matches INCLUDE REGEX "error: .*${words}")
  if(NOT matches)
    message(FATAL_ERROR "${SOURCE} is not refused with\n  ${words}\nbut with\n${said}")
  endif()
endforeach()
