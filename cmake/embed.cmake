# Embeds the YAML facts under catalog/ into the binary, one entry per file, so that a file is
# parsed only when it is asked for.
function(plimsoll_embed_catalog output)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/catalog/*.yaml)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_CURRENT_SOURCE_DIR}/catalog
            -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${files} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_embedded.cmake
    VERBATIM)
endfunction()
