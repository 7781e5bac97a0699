#include "cli/flag_places.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace plimsoll {
namespace {

// What a plan reads from its request where other verbs, or other planners, have a flag.
struct PlaceInRequest {
  std::string_view flag;
  std::string_view hint;
};

constexpr std::string_view kAsksForSplits =
    "a plan finds the numbers of both by itself: --disaggregation aggregated,split, or "
    "`disaggregation:` in `config_space:` of a request file";

constexpr std::string_view kTakesNoTrace =
    "a plan scales its workload to any rate: `plimsoll convert` makes a TraceV2 trace of others, "
    "and `plimsoll convert tracev2` a specification of that, for --workload-spec";

constexpr PlaceInRequest kPlaces[]{
    {"--trace", kTakesNoTrace},
    {"--trace-header", kTakesNoTrace},
    {"--workload",
     "a plan takes its own workload from the section `workload:` of a request file, or "
     "--workload-spec FILE"},
    {"--constraints",
     "a plan takes limits from --slo, or `constraints:` of a request file; "
     "`python -m plimsoll.capacity_planning` takes the command as it is"},
    {"--config-space",
     "a plan takes it from flags such as --gpu-types and --tp, or `config_space:` of a request "
     "file; `python -m plimsoll.capacity_planning` takes the command as it is"},
    {"--prefill-instances", kAsksForSplits},
    {"--decode-instances", kAsksForSplits},
    {"--pd-decider", "a plan takes it from `pd_deciders` in `config_space:` of a request file"},
    {"--output", "a plan is written by --json > FILE, --summary FILE and --html FILE"},
};

}  // namespace

std::string place_in_request(std::string_view flag) {
  const auto* place = std::ranges::find(kPlaces, flag, &PlaceInRequest::flag);
  return place == std::end(kPlaces) ? "" : std::string(place->hint);
}

std::string place_in_forecast(std::string_view flag) {
  return flag == "--rate" ? "set requests_per_s in the file" : "";
}

std::vector<std::string> notes_on_limits(std::string_view slo) {
  constexpr std::pair<std::string_view, std::string_view> kOtherWords[]{{"tbt", "itl"},
                                                                        {"latency", "e2e"}};
  const std::string text = to_lower(slo);
  std::vector<std::string> notes;
  for (const auto& [other, own] : kOtherWords) {
    if (text.find(other) == text.npos) continue;
    notes.push_back(std::string(other) + " of --slo is called " + std::string(own));
  }
  return notes;
}

std::string place_of_limits(std::string_view flag) {
  return flag == "--slo" ? "the limits of requests are --slo-ttft, --slo-itl and --slo-e2e" : "";
}

}  // namespace plimsoll
