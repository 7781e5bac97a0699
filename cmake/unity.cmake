# Compiles the sources of a target in batches where PLIMSOLL_UNITY is on: a third of the time, but
# a change to one file compiles its whole batch, and includes that a file lacks go unseen.
set(PLIMSOLL_UNITY OFF CACHE STRING "compile in batches, for builds made once: OFF, TESTS or ALL")

# plimsoll_unity(TARGET): to be called where the target's sources were named.
function(plimsoll_unity target)
  if(NOT PLIMSOLL_UNITY OR (target STREQUAL "plimsoll_core" AND NOT PLIMSOLL_UNITY STREQUAL "ALL"))
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/unity-batches ${sources}
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  while(lines)
    list(POP_FRONT lines source batch)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${batch})
  endwhile()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Of names in other files, and of local types that a batch includes rather than compiles.
  target_compile_options(${target} PRIVATE -Wno-shadow
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
