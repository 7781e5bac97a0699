// What the report of a plan says it was asked: the same for all candidates.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/planned.h"
#include "cli/policy_bundle.h"
#include "cli/traffic.h"

namespace plimsoll {
namespace {

ConfigValue value_in(const std::string& text) {
  long long whole = 0;
  double number = 0;
  if (parse_int(text, &whole)) return std::int64_t{whole};
  if (parse_double(text, &number)) return number;
  if (text == "true" || text == "false") return text == "true";
  return text;
}

// What a report says elsewhere: of the model, of the traffic.
bool is_said_elsewhere(std::string_view name) {
  if (name == "--model") return true;
  const auto flag = std::ranges::find(flags(), name, &Flag::name);
  return flag != flags().end() &&
         (flag->group == FlagGroup::workload || flag->group == FlagGroup::stream);
}

}  // namespace

Result<PlanInputs> Planned::inputs() const {
  auto options = options_of_run(flags_);
  if (!options) return pass_on(options);
  auto traffic = any_traffic(*options, model_);
  if (!traffic) return pass_on(traffic);
  PlanInputs inputs;
  inputs.seed = static_cast<std::int64_t>(traffic->seed);
  for (ConfigEntry& entry : traffic->config) {
    // A plan sets the rate, and its tests are as long as they have to be.
    const bool of_a_run = entry.key == "rate" || entry.key == "num-requests";
    if (!of_a_run) inputs.traffic.push_back(std::move(entry));
  }
  for (const std::string& flag : flags_) {
    const std::size_t equals = std::min(flag.find('='), flag.size());
    const std::string name = flag.substr(0, equals);
    if (is_said_elsewhere(name)) continue;
    const std::string text = equals < flag.size() ? flag.substr(equals + 1) : "true";
    inputs.flags.push_back({name.substr(2), value_in(text), "flag"});
  }
  return inputs;
}

}  // namespace plimsoll
