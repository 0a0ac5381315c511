# `cmake --install build/release --prefix X` gives a working tree: X/bin and X/lib with what was built, X/share/lastro with the rest.
include(GNUInstallDirs)
install(DIRECTORY manifests launch slurm
  DESTINATION ${CMAKE_INSTALL_DATADIR}/lastro
  USE_SOURCE_PERMISSIONS
  PATTERN dev EXCLUDE)   # launch/dev builds from source
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/lastro)

# lastro_program(lastro): puts a program beside the others, in the build tree and when installed.
function(lastro_program name)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${LASTRO_BIN_DIR})
  install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# lastro_module(lastro-torch): the same for a library that a program loads when asked.
function(lastro_module name)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib INSTALL_RPATH "${LASTRO_TORCH}/lib")   # finds LibTorch where it was built with it
  install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
