# Embeds text files into the binary: the facts under catalog/, one entry per file so that a file is
# parsed only when it is asked for, and the pages that define the words and figures of the program.

# plimsoll_embed(FUNCTION ROOT PATTERN...): FUNCTION.cc in the build folder defines
# `const std::vector<EmbeddedFile>& FUNCTION()` with the files under ROOT that match.
function(plimsoll_embed name root)
  list(TRANSFORM ARGN PREPEND ${root}/)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${ARGN})
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${name} -DROOT=${root} "-DFILES=${files}"
            -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${name}.cc
            -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    VERBATIM)
endfunction()
