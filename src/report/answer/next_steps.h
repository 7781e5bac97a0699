// One or two commands worth running after a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/summary.h"
#include "setup/run_config.h"

namespace plimsoll {

struct NextStep {
  std::string command;  ///< ready to paste into a POSIX shell
  std::string purpose;
};

/// The run's own command line with one value changed: longer where it was too short, more instances
/// where they were overloaded, one fewer or more load where it held. Where the rate itself changes,
/// a look at the traffic.
std::vector<NextStep> next_steps(const Summary& summary, const RunConfig& config);

/// The purpose of the run behind an answer. Runs show figures, and judge none by limits.
std::string purpose_of_run(bool has_limits, std::string_view behind = "this answer");

/// Users send requests as fast as they are answered.
bool is_closed_loop(const RunConfig& config);
/// Fewer requests came than were asked for: the traffic of `run` has an end.
bool traffic_ends(const Summary& summary, const RunConfig& config);
/// A run that would tell has so many requests that `capacity` is the better verb to ask.
bool takes_too_long_to_tell(const Summary& summary, const RunConfig& config);

/// The share of the requests that keep the only limit, where its interval spans what is needed;
/// null where it does not, or where several limits leave the interval, which is of all of them
/// together, without a say.
const MetricInterval* undecided_share(const Summary& summary);

/// It is the instances that lack something.
bool needs_more_instances(const Summary& summary);

/// The value as it is typed after a flag.
std::string typed(const ConfigValue& value);

/// "total-kv-blocks 17,283 (16,900 to 17,600)", without brackets where there is no interval.
std::string entry_text(const ConfigEntry& entry);

/// The entry of that key, or null.
const ConfigEntry* find_entry(const RunConfig& config, const std::string& key);

}  // namespace plimsoll
