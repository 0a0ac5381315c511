# Writes OUTPUT from TEMPLATE with VERSION and the commit of ROOT, if that changes it.
execute_process(
  COMMAND git -C ${ROOT} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE COMMIT
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(COMMIT "no git")   # an unpacked archive
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)   # leaves an equal file alone
