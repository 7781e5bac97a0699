# A program that needs nothing of the machine it runs on but the kernel (`make static`). What it cannot do
# is load libcurl, whose own libraries no static program could load: verbs that use the network say so.
option(PLIMSOLL_STATIC "link all libraries into the program" OFF)
set(plimsoll_fmt fmt::fmt)
set(plimsoll_yaml yaml-cpp)

if(PLIMSOLL_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(plimsoll_fmt fmt::fmt-header-only)  # Debian has no archive of it
  find_library(plimsoll_yaml_archive yaml-cpp REQUIRED)
  set(plimsoll_yaml ${plimsoll_yaml_archive})
endif()
