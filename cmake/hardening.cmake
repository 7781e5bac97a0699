# The program reads files of strangers: what a compiler offers for little against those who would
# make use of a mistake in it. For optimised builds without sanitizers, which have their own checks.
# tools/check-hardening holds the result; docs/explanation/performance.md has the cost, and what costs too much.
option(PLIMSOLL_SYMBOLS "keep the program's debug symbols, in a file beside it" OFF)

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PLIMSOLL_SANITIZE)
  add_compile_options(-fstack-protector-strong -D_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro,-z,now -Wl,-z,noexecstack)
  if(PLIMSOLL_SYMBOLS)
    add_compile_options(-g1)
  endif()
endif()

# plimsoll_harden(PROGRAM): independent of its position, and its symbols in PROGRAM.debug.
function(plimsoll_harden program)
  set_target_properties(${program} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_options(${program} PRIVATE $<IF:$<BOOL:${PLIMSOLL_STATIC}>,-static-pie,-pie>)
  if(PLIMSOLL_SYMBOLS)
    add_custom_command(TARGET ${program} POST_BUILD VERBATIM
      COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${program}> $<TARGET_FILE:${program}>.debug
      COMMAND ${CMAKE_OBJCOPY} --strip-debug --add-gnu-debuglink=$<TARGET_FILE:${program}>.debug $<TARGET_FILE:${program}>)
  endif()
endfunction()
