# Writes OUTPUT: a name of the program made of what it is compiled from, src/ and catalog/ below ROOT (names
# and bytes), so that two programs of one name give the same answers. Nothing of the machine, the folder or
# the time is in it.
file(GLOB_RECURSE sources ${ROOT}/src/*.cc ${ROOT}/src/*.h ${ROOT}/catalog/*.yaml)
list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  file(RELATIVE_PATH path ${ROOT} ${source})
  string(APPEND all "${hash} ${path}\n")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING ${id} 0 16 id)
file(WRITE ${OUTPUT} "// Generated at build time.\n#include \"cli/version.h\"\n\nnamespace plimsoll {\n\nstd::string_view build_id() { return \"${id}\"; }\n\n}  // namespace plimsoll\n")
