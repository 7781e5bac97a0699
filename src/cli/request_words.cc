#include "cli/request_words.h"

#include <algorithm>

namespace plimsoll {
namespace {

struct WordPlace {
  std::string_view flag;
  std::string_view hint;
};

constexpr WordPlace kPlaces[]{
    {"--workload",
     "a plan takes a workload of its own from the section `workload:` of a request file, or "
     "--workload-spec FILE"},
    {"--constraints", "a plan takes limits from --slo, or `constraints:` of a request file"},
    {"--config-space",
     "a plan takes it from flags such as --gpu-types and --tp, or `config_space:` of a request "
     "file"},
    {"--output", "a plan is written by --json > FILE, --summary FILE and --html FILE"},
};

}  // namespace

std::string place_in_request(std::string_view flag) {
  const auto* place = std::ranges::find(kPlaces, flag, &WordPlace::flag);
  return place == std::end(kPlaces) ? "" : std::string(place->hint);
}

}  // namespace plimsoll
