#include "report/answer/next_steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "cluster/deployment.h"
#include "planner/estimate.h"
#include "planner/headroom.h"
#include "report/form/field_text.h"
#include "setup/model_band.h"

namespace plimsoll {
namespace {

// A run of more requests is a poor way to learn what a deployment serves.
constexpr std::int64_t kTooManyToWaitFor = kMostRequestsOfBand;

// " --key value" as it was given.
std::string as_flag(const ConfigEntry& entry) {
  const bool* set = std::get_if<bool>(&entry.value);
  if (set != nullptr && *set) return " --" + entry.key;
  return typed_word("--" + entry.key + "=" + typed(entry.value));
}

using Changes = std::vector<std::pair<std::string, std::string>>;

// The command line that gave `config`, with other values of some keys; the horizon, which would cut
// a longer run, only if it is wanted.
std::string command_with(const RunConfig& config, Changes changes, bool with_horizon = true) {
  std::string command = "plimsoll " + config.verb;
  const auto change = [&](const auto& to) { command += " --" + to.first + " " + to.second; };
  for (const ConfigEntry& entry : config.entries) {
    const auto changed = std::ranges::find(changes, entry.key, &Changes::value_type::first);
    if (changed != changes.end()) {
      change(*changed);
      changes.erase(changed);
    } else if (entry.origin == "flag" && (with_horizon || entry.key != "horizon")) {
      command += as_flag(entry);
    }
  }
  std::ranges::for_each(changes, change);
  return command;
}

// `describe` for the traffic alone, of a file: traffic made by flags has one rate.
std::vector<NextStep> describe_traffic(const RunConfig& config) {
  std::string command = "plimsoll describe";
  bool any = false;
  for (const ConfigEntry& entry : config.entries) {
    const auto is_key = [&](const char* key) { return entry.key == key; };
    constexpr const char* kFiles[]{"workload-spec", "trace", "trace-format", "trace-header",
                                   "trace-data"};
    if (!std::any_of(std::begin(kFiles), std::end(kFiles), is_key)) continue;
    command += as_flag(entry);
    any = true;
  }
  if (!any) return {};
  const ConfigEntry* rate = find_entry(config, "rate");
  const bool is_played = find_entry(config, "workload-spec") != nullptr && rate != nullptr;
  if (is_played) command += as_flag(*rate);
  return {{command, "how do arrivals vary over time?"}};
}

// Weighted scores can be kept and evened out; of other policies the even one is tried.
NextStep spread_out(const RunConfig& config) {
  const std::string even = "prefix-affinity:1,load-balance:1";
  const ConfigEntry* policy = find_entry(config, "routing-policy");
  const ConfigEntry* scorers = find_entry(config, "routing-scorers");
  const bool weighted = policy != nullptr && typed(policy->value) == "weighted";
  if (weighted && scorers != nullptr && typed(scorers->value) != even) {
    return {command_with(config, {{"routing-scorers", even}}),
            "route by prefix, with balanced load"};
  }
  return {command_with(config, {{"routing-policy", "round-robin"}}),
          "route to all instances in turn"};
}

// The same with another load or other instances: no shorter, and long enough to show that many at
// their limit, as tests of `capacity` are (planner/estimate.h). Users who wait for their answers
// keep no more requests there than they are, and need no longer run.
std::string changed_run(const RunConfig& config, Changes changes, std::int64_t instances) {
  if (is_closed_loop(config)) return command_with(config, std::move(changes));
  RunConfig longer = config;
  const auto requests = std::ranges::find(longer.entries, "num-requests", &ConfigEntry::key);
  const ConfigEntry* places = find_entry(config, "max-num-seqs");
  if (config.verb == "run" && requests != longer.entries.end() && places != nullptr) {
    CapacityEstimate full;
    full.batch = std::get<std::int64_t>(places->value);
    auto& asked = std::get<std::int64_t>(requests->value);
    const std::int64_t enough = std::min(requests_to_settle(full, instances), kTooManyToWaitFor);
    if (asked > 0 && asked < enough) {  // 0: as many as there are
      asked = enough;
      requests->origin = "flag";
      std::erase_if(longer.entries, [](const ConfigEntry& e) { return e.key == "horizon"; });
    }
  }
  return command_with(longer, std::move(changes));
}

std::string with_instances(const RunConfig& config, std::int64_t instances) {
  return changed_run(config, {{"num-instances", std::to_string(instances)}}, instances);
}

std::string with_pools(const RunConfig& config, const Division& pools) {
  return changed_run(config,
                     {{"prefill-instances", std::to_string(pools.prefill)},
                      {"decode-instances", std::to_string(pools.decode)}},
                     pools.prefill + pools.decode);
}

// The next step where faster instances have room that slower ones lack.
std::vector<NextStep> by_speed(const RunConfig& config) {
  const ConfigEntry* now = find_entry(config, "routing-policy");
  const bool by_load = now != nullptr && typed(now->value) == "least-loaded";
  const char* const policy = by_load ? "weighted-round-robin" : "least-loaded";
  return {{command_with(config, {{"routing-policy", policy}}),
           "send more requests to faster instances"}};
}

// The next step where it is the instances that lack something.
std::vector<NextStep> more_instances(const Summary& summary, const RunConfig& config,
                                     std::int64_t more, const std::string& purpose) {
  if (!needs_more_instances(summary)) return {};
  if (summary.pools.verdict == PoolVerdict::uneven) return by_speed(config);
  if (find_entry(config, "fleet") != nullptr) return {};  // the file says how many
  if (summary.pools.split) {
    return {{with_pools(config, division_that_may_hold(summary)), "test these pools"}};
  }
  return {{with_instances(config, more), purpose}};
}

// The same question to `capacity`, which answers it faster than a run that waits for a queue that
// the rate at hand may never let settle.
std::vector<NextStep> ask_capacity(const RunConfig& config,
                                   std::vector<std::string> left_out = {}) {
  left_out.insert(left_out.end(), {"num-requests", "horizon", "warmup"});
  std::string command = "plimsoll capacity";
  for (const ConfigEntry& entry : config.entries) {
    if (entry.origin == "flag" && !contains(left_out, entry.key)) command += as_flag(entry);
  }
  const auto is_said = [&](const char* key) {
    const ConfigEntry* entry = find_entry(config, key);
    return entry != nullptr && entry->origin == "flag" && !contains(left_out, entry->key);
  };
  const bool counts = is_said("rate") && !is_said("num-instances") &&
                      !is_said("decode-instances") && !is_said("fleet");
  return {{std::move(command),
           counts ? "ask how many instances hold this rate" : "ask how much these hold"}};
}

std::vector<NextStep> less_or_more(const Summary& summary, const RunConfig& config) {
  const bool is_doubted =
      summary.model_band && summary.model_band->slow == SteadyVerdict::overloaded;
  if (is_doubted && config.verb == "run" && !is_closed_loop(config))
    return ask_capacity(config, {"num-instances"});
  const auto instances = std::ssize(summary.instances);
  const bool by_file = find_entry(config, "fleet") != nullptr;
  if (summary.pools.split && !by_file) {
    const Division fewest = fewest_with_room(summary.pools);
    if (fewest.prefill + fewest.decode < instances) {
      return {{with_pools(config, fewest), "test fewer instances"}};
    }
  } else if (instances > 1 && !by_file) {
    return {{with_instances(config, instances - 1), "test one instance fewer"}};
  }
  const ConfigEntry* rate = find_entry(config, "rate");
  if (config.verb != "run" || rate == nullptr) return {};
  const double* rps = std::get_if<double>(&rate->value);
  if (rps == nullptr) return {};
  return {{changed_run(config, {{"rate", shortest(*rps * (1 + kUsualHeadroom))}}, 1),
           "test a quarter more load"}};
}

// All users begin at once, and these first requests wait as none does later.
std::vector<NextStep> without_burst(const Summary& summary, const RunConfig& config) {
  const bool counts_it = config.verb == "run" && is_closed_loop(config) &&
                         summary.steady_state.verdict == SteadyVerdict::steady &&
                         summary.warmup.excluded == 0;
  if (!counts_it) return {};
  return {
      {command_with(config, {{"warmup", "auto"}}), "the same without all users starting at once"}};
}

std::vector<NextStep> steps_by_verdict(const Summary& summary, const RunConfig& config) {
  const SteadyState& state = summary.steady_state;
  const auto instances = std::ssize(summary.instances);
  const bool synthetic = config.verb == "run";
  if (turns_lengths_away(summary)) return describe_traffic(config);
  switch (state.verdict) {
    case SteadyVerdict::transient:
      if (state.enough_requests == 0) return describe_traffic(config);
      [[fallthrough]];
    case SteadyVerdict::too_short:
      if (!synthetic || state.enough_requests == 0) return {};
      if (takes_too_long_to_tell(summary, config)) return ask_capacity(config);
      return {
          {command_with(config, {{"num-requests", std::to_string(state.enough_requests)}}, false),
           "a run long enough to decide"}};
    case SteadyVerdict::no_load:
      return {};
    case SteadyVerdict::overloaded: {
      if (const auto flag = flag_to_omit(summary.bottleneck.lever.cause); !flag.empty()) {
        RunConfig without = config;
        std::erase_if(without.entries, [&](const ConfigEntry& e) { return e.key == flag; });
        return {{changed_run(without, {}, instances), "test the default"}};
      }
      const std::int64_t more = instances_that_may_hold(summary);
      if (more > kMostInstances) return {};
      return more_instances(summary, config, more, "test " + counted(more, "instance"));
    }
    case SteadyVerdict::steady:
      if (undecided_share(summary) != nullptr) {
        constexpr std::int64_t kMore = 4;  // times as many halve the interval
        if (!synthetic) return {};
        return {{command_with(config, {{"num-requests", std::to_string(kMore * summary.arrived)}}),
                 "a run long enough to tell whether the limits are kept"}};
      }
      if (needs_nothing(summary.bottleneck)) return less_or_more(summary, config);
      return more_instances(summary, config, instances + 1, "test one more instance");
  }
  return {};
}

}  // namespace

bool is_closed_loop(const RunConfig& config) {
  return find_entry(config, "concurrency") != nullptr;
}

bool traffic_ends(const Summary& summary, const RunConfig& config) {
  const ConfigEntry* asked = find_entry(config, "num-requests");
  if (find_entry(config, "horizon") != nullptr) return false;
  // A specification that ends by itself says how many there are.
  if (asked == nullptr) return find_entry(config, "workload-spec") != nullptr;
  return summary.arrived < std::get<std::int64_t>(asked->value);
}

std::string purpose_of_run(bool has_limits, std::string_view behind) {
  return fmt::format("repeat the run behind {}{}", behind,
                     has_limits ? " (run does not check --slo)" : "");
}

const MetricInterval* undecided_share(const Summary& s) {
  const MetricInterval* share = find_interval(s.intervals, "slo_attainment");
  const auto least = s.goodput ? least_kept(*s.goodput) : std::nullopt;
  if (share == nullptr || !least) return nullptr;
  const bool is_only = std::abs(least->share - s.goodput->all.attainment) < 1e-9;
  return is_only && share->low < kNearlyAll && kNearlyAll <= share->high ? share : nullptr;
}

bool takes_too_long_to_tell(const Summary& summary, const RunConfig& config) {
  if (config.verb != "run" || is_closed_loop(config)) return false;
  return summary.steady_state.enough_requests > kTooManyToWaitFor ||
         (summary.steady_state.enough_requests > 0 && traffic_ends(summary, config));
}

bool needs_more_instances(const Summary& summary) {
  const LimitKind limit = summary.bottleneck.limit;
  return limit == LimitKind::queue || limit == LimitKind::memory || limit == LimitKind::compute;
}

std::string typed(const ConfigValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return v;
        } else if constexpr (std::is_same_v<T, bool>) {
          return v ? "true" : "false";
        } else if constexpr (std::is_same_v<T, double>) {
          return shortest(v);
        } else {
          return std::to_string(v);
        }
      },
      value);
}

const ConfigEntry* find_entry(const RunConfig& config, const std::string& key) {
  return find_in(config.entries, key, &ConfigEntry::key);
}

std::vector<NextStep> next_steps(const Summary& summary, const RunConfig& config) {
  // How many instances or requests are enough is no question while most instances are not used.
  if (summary.balance.concentrated) return {spread_out(config)};
  std::vector<NextStep> steps = without_burst(summary, config);
  append(&steps, steps_by_verdict(summary, config));
  return steps;
}

std::string entry_text(const ConfigEntry& entry) {
  const auto* whole = std::get_if<std::int64_t>(&entry.value);
  if (!entry.interval || whole == nullptr) return entry.key + " " + typed(entry.value);
  return fmt::format("{} {} ({} to {})", entry.key, grouped(*whole), grouped(entry.interval->first),
                     grouped(entry.interval->second));
}

}  // namespace plimsoll
