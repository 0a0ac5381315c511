# lastro_version: the text of `lastro --version`, "0.1.0 (<git describe>)". The one generated source is looked at in every build and written
# when the text has changed; so a commit costs one small compilation and a link.
set(LASTRO_VERSION_SOURCE ${PROJECT_BINARY_DIR}/generated/version.cpp)
add_custom_target(lastro_version_text
  COMMAND ${CMAKE_COMMAND}
    -D ROOT=${PROJECT_SOURCE_DIR}
    -D VERSION=${PROJECT_VERSION}
    -D TEMPLATE=${PROJECT_SOURCE_DIR}/cmake/version.cpp.in
    -D OUTPUT=${LASTRO_VERSION_SOURCE}
    -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${LASTRO_VERSION_SOURCE}
  COMMENT "")
add_library(lastro_version STATIC ${LASTRO_VERSION_SOURCE})
target_link_libraries(lastro_version PUBLIC lastro_flags)
add_dependencies(lastro_version lastro_version_text)
