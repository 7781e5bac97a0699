# `cmake --install`: the program, its manual page and its completion scripts, which it prints
# itself as soon as it is linked.
include(GNUInstallDirs)
install(TARGETS plimsoll RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(printed_texts ${CMAKE_CURRENT_BINARY_DIR}/printed)
file(MAKE_DIRECTORY ${printed_texts})

# plimsoll_installs_output(FILE DESTINATION WORD...): what `plimsoll WORD...` prints becomes FILE, and
# is compressed where that is what its name says.
function(plimsoll_installs_output file destination)
  if(file MATCHES "[.]gz$")
    set(compressed | gzip -9n)
  endif()
  add_custom_command(TARGET plimsoll POST_BUILD VERBATIM
                     COMMAND plimsoll ${ARGN} ${compressed} > ${printed_texts}/${file})
  install(FILES ${printed_texts}/${file} DESTINATION ${destination})
endfunction()

plimsoll_installs_output(plimsoll.1.gz ${CMAKE_INSTALL_MANDIR}/man1 man)
plimsoll_installs_output(plimsoll ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
                         completion bash)
plimsoll_installs_output(_plimsoll ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
plimsoll_installs_output(plimsoll.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
