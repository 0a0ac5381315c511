# A function that an object built for one instruction path shares with others (a weak symbol: an inline function or template that was not
# inlined) may be the copy that the linker keeps for all, and then a lesser processor meets instructions it lacks.
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" shared "${symbols}")
  foreach(symbol IN LISTS shared)
    if(NOT symbol MATCHES "DW\\.ref\\.|__gxx_personality|asan|ubsan|tsan")
      message(SEND_ERROR "${object} shares${symbol} (mark it KERNEL_FN or keep it out of *_cpu.cpp)")
    endif()
  endforeach()
endforeach()
