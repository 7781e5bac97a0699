// What the groups of flags are called, and which of them decide nothing.
#include <string_view>
#include <utility>

#include "cli/flags.h"

namespace plimsoll {

bool decides_nothing(FlagGroup group) {
  return group == FlagGroup::json || group == FlagGroup::console || group == FlagGroup::page ||
         group == FlagGroup::output || group == FlagGroup::model_error ||
         group == FlagGroup::step_parts || group == FlagGroup::threads ||
         group == FlagGroup::sharing;
}

std::string_view title(FlagGroup group) {
  // From this group on.
  constexpr std::pair<FlagGroup, std::string_view> kTitles[]{
      {FlagGroup::slo, "Question"},
      {FlagGroup::compared, "What is compared"},
      {FlagGroup::threads, "Runs"},
      {FlagGroup::prices, "Prices"},
      {FlagGroup::server, "Server"},
      {FlagGroup::model, "Model and hardware"},
      {FlagGroup::profile, "Measured steps"},
      {FlagGroup::workload, "Workload"},
      {FlagGroup::trace, "Trace"},
      {FlagGroup::sessions, "Sessions"},
      {FlagGroup::cluster, "Cluster"},
      {FlagGroup::split, "Pools of instances, prefill and decode apart"},
      {FlagGroup::admission, "Admission and gateway queue"},
      {FlagGroup::engine, "Engine (one instance)"},
      {FlagGroup::stream, "Run control"},
      {FlagGroup::metrics, "Metrics"},
      {FlagGroup::json, "Output"},
      {FlagGroup::preset, "Input"},
      {FlagGroup::calibration, "Calibration"},
      {FlagGroup::composed, "Input"},
      {FlagGroup::spec_output, "Output"}};
  std::string_view title;
  for (const auto& [first, name] : kTitles) {
    if (first <= group) title = name;
  }
  return title;
}

}  // namespace plimsoll
