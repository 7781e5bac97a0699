// Any bytes as a spec file: the reader must give a value or an error with a message, never crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "spec/spec_file.h"

using plimsoll::SpecFile;
using plimsoll::SpecMap;

namespace {

// Asks every map for every kind of value under each of its keys.
void walk(SpecMap map, int depth) {
  if (depth == 0) return;
  for (const std::string& key : map.keys()) {
    map.optional_text(key);
    map.optional_integer(key, {0, 10});
    map.optional_number(key, plimsoll::kPositive);
    map.optional_flag(key);
    map.optional_choice(key, {"a", "b"});
    map.numbers(key);
    map.texts(key);
    if (auto child = map.optional_map(key)) walk(*child, depth - 1);
    for (const SpecMap& child : map.maps(key)) walk(child, depth - 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto spec = SpecFile::parse(std::string(reinterpret_cast<const char*>(data), size), "spec.yaml");
  if (!spec) {
    if (format(spec.error()).empty()) std::abort();
    return 0;
  }
  constexpr int kDepth = 4;
  walk(spec->top(), kDepth);
  const auto done = spec->finish(0);
  if (!done && format(done.error()).empty()) std::abort();
  return 0;
}
