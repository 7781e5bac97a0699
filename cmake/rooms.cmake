# A room of src/ is a library: the sources of its folder, and all rooms above it (src/rooms.txt).
# Defines plimsoll_rooms, plimsoll_room_ROOM for each, and plimsoll_core, which is all of them.
set(PLIMSOLL_UNITY OFF CACHE BOOL "compile the files of a room as one to four: for builds made once")

# What a run spends its time in is optimised as ever it can; rooms that read, choose and print are
# compiled in half of the time, for the same bytes (workload/ at most 2 % more instructions of a run).
set(hot_rooms base random stats perf engine cluster metrics)
# Of those, the ones that nevertheless take most of what tests take with sanitizers.
set(warm_rooms workload planner forecast)

# plimsoll_batches(TARGET): where PLIMSOLL_UNITY is on, compiles its sources in batches of 35, so that a
# room is one file to four. That takes a third of the time, but a change to one file compiles the whole
# batch, and includes that a file lacks go unseen. Two files of a room must not give the same name to
# something in an unnamed namespace.
function(plimsoll_batches target)
  if(NOT PLIMSOLL_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 35)
  # Of names in other files, and of local types that a batch includes rather than compiles.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # Half a gigabyte more for a batch, less time in GCC's collection of garbage.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
endfunction()

# plimsoll_optimise(TARGET LEVEL): in release builds. With sanitizers not at all, which is three times
# quicker to compile than -O1; other builds choose a level for everything.
function(plimsoll_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  if(PLIMSOLL_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

file(STRINGS ${PROJECT_SOURCE_DIR}/src/rooms.txt lines REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/rooms.txt)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^[a-z]+" name "${line}")
  set(room plimsoll_room_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  add_library(${room} STATIC ${sources} ${PLIMSOLL_GENERATED_${name}})
  target_include_directories(${room} PUBLIC src)
  target_link_libraries(${room} PUBLIC ${above} ${plimsoll_fmt} Threads::Threads)
  # For the Python module: what may lie anywhere and shows no name to others costs nothing.
  set_target_properties(${room} PROPERTIES POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(PLIMSOLL_FUZZ)
    target_compile_options(${room} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  plimsoll_batches(${room})
  if(NOT name IN_LIST hot_rooms)
    plimsoll_optimise(${room} g)
    if(PLIMSOLL_SANITIZE AND name IN_LIST warm_rooms)
      target_compile_options(${room} PRIVATE -O1)
    endif()
  endif()
  list(APPEND plimsoll_rooms ${name})
  set(above ${room})
endforeach()

add_library(plimsoll_core INTERFACE)
target_link_libraries(plimsoll_core INTERFACE ${above})

# A step of the engine passes through many files: the program is linked with those optimised as one: 5
# to 16 % fewer instructions. They meet no byte of a stranger, and no guard of their stack frames, which
# would cost 2 %. Tests are linked with each of them as it is (-fno-lto), for which it is compiled twice.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(as_one -flto=auto -fno-stack-protector)
  if(BUILD_TESTING OR PLIMSOLL_PYTHON)
    list(APPEND as_one -ffat-lto-objects)
  endif()
  target_compile_options(plimsoll_room_engine PRIVATE ${as_one})
  set_source_files_properties(src/cluster/simulation.cc src/cluster/instance_group.cc
                              src/perf/attention_layers.cc src/perf/kernel_model.cc src/perf/trained_physics.cc
                              PROPERTIES COMPILE_OPTIONS "${as_one}")
endif()

# Drawing the requests is a tenth of a run.
set_source_files_properties(src/workload/arrival_process.cc src/workload/length_distribution.cc
                            src/workload/synthetic.cc
                            PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
