#include "metrics/saturation.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <tuple>

#include "base/lists.h"
#include "base/policy.h"
#include "base/text.h"

namespace plimsoll {
namespace {

struct Event {
  Time at;
  bool completes = false;
  std::uint32_t row = 0;
};

bool takes_part(Outcome outcome, bool completed_only) {
  if (is_completed(outcome)) return true;
  return !completed_only && (outcome == Outcome::unfinished || outcome == Outcome::timed_out ||
                             outcome == Outcome::shed);
}

// In whole microseconds, as the reference has them: by time, arrivals first, then by id.
std::vector<Event> events_of(const RequestTable& t, bool completed_only) {
  std::vector<Event> events;
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (!takes_part(t.outcome[row], completed_only)) continue;
    const Time arrival = Time{} + microseconds(t.arrival[row].ns / 1000);
    events.push_back({arrival, false, static_cast<std::uint32_t>(row)});
    if (!is_completed(t.outcome[row])) continue;
    const Time done = arrival + microseconds(t.e2e[row].ns / 1000);
    events.push_back({done, true, static_cast<std::uint32_t>(row)});
  }
  std::ranges::sort(events, {}, [&](const Event& e) {
    return std::tuple(e.at, e.completes, t.id[e.row], e.row);
  });
  return events;
}

// The most frequent level among the verdicts of the last window; the more severe of equals.
class FinalWindow {
 public:
  explicit FinalWindow(double window_s) : window_(duration_from_us(window_s * 1e6)) {}

  void add(Time at, SaturationLevel level) {
    verdicts_.emplace_back(at, level);
    ++counts_[static_cast<std::size_t>(level)];
    while (at - verdicts_.front().first > window_) {
      --counts_[static_cast<std::size_t>(verdicts_.front().second)];
      verdicts_.pop_front();
    }
  }

  SaturationLevel level() const {
    std::size_t most = counts_.size() - 1;
    for (std::size_t i = most; i-- > 0;) {
      if (counts_[i] > counts_[most]) most = i;
    }
    return static_cast<SaturationLevel>(most);
  }

 private:
  Duration window_;
  std::deque<std::pair<Time, SaturationLevel>> verdicts_;
  std::array<std::int64_t, 3> counts_{};
};

// The settings of a detector, if they are there and it is among those that run.
std::optional<SpecMap> block_of(SpecMap top, std::string_view key, std::string_view detector,
                                const std::vector<std::string>& detectors) {
  std::optional<SpecMap> block = top.optional_map(key);
  if (block && !contains(detectors, detector)) {
    top.error(key, "--detectors does not choose " + std::string(detector),
              "leave this block out, or add the detector");
  }
  return block;
}

void read_backlog_drift(SpecMap block, SaturationSettings* settings) {
  constexpr NumberRange kShare{0, 1, true};
  if (const auto seconds = block.optional_number("window_size_sec", kWaitS)) {
    settings->config.window_s = *seconds;
    settings->config.final_window_s = *seconds;
  }
  const auto idle = [&](std::string_view key, bool present) {
    if (present) settings->idle_keys.push_back("backlog_drift." + std::string(key));
  };
  idle("min_windows", block.optional_integer("min_windows", {1}).has_value());
  idle("peak_ratio", block.optional_number("peak_ratio", kPositive).has_value());
  idle("peak_ratio_band", block.optional_number("peak_ratio_band", kNonNegative).has_value());
  const auto confidence = block.optional_number("confidence_ci", kShare);
  if (confidence && *confidence >= 1) block.error("confidence_ci", "must be below 1");
  idle("confidence_ci", confidence.has_value());
  idle("warmup_windows", block.optional_integer("warmup_windows", {0}).has_value());
  idle("tail_windows", block.optional_integer("tail_windows", {0}).has_value());
  const auto saturated = block.optional_number("saturated_drain_ratio", kShare);
  const auto transient = block.optional_number("transient_drain_ratio", kShare);
  idle("saturated_drain_ratio", saturated.has_value());
  idle("transient_drain_ratio", transient.has_value());
  constexpr double kSaturatedDrain = 0.95;  // the reference's defaults
  constexpr double kTransientDrain = 0.98;
  if (saturated.value_or(kSaturatedDrain) > transient.value_or(kTransientDrain)) {
    block.error(saturated ? "saturated_drain_ratio" : "transient_drain_ratio",
                "saturated_drain_ratio must be at most transient_drain_ratio");
  }
}

}  // namespace

std::string_view level_name(SaturationLevel level) {
  constexpr std::string_view kNames[] = {"STABLE", "BACKLOGGED", "OVERLOADED"};
  return kNames[static_cast<std::size_t>(level)];
}

std::vector<std::string> saturation_detector_names() {
  return mapped(saturation_detectors(), &SaturationDetectorRow::name);
}

Result<std::vector<std::string>> parse_detectors(std::string_view text) {
  const std::vector<std::string> known = saturation_detector_names();
  if (text == "all") return known;
  std::vector<bool> chosen(known.size(), false);
  for (const std::string_view name : split_at(text, ',')) {
    const auto at = std::ranges::find(known, name);
    if (at == known.end()) {
      const std::string what = name == "all"  ? "all stands alone"
                               : name.empty() ? "an item is empty"
                                              : "unknown detector \"" + std::string(name) + "\"";
      return fail(ErrorKind::usage, "--detectors: " + what, suggestion(name, known));
    }
    chosen[static_cast<std::size_t>(at - known.begin())] = true;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (chosen[i]) names.push_back(known[i]);
  }
  return names;
}

std::vector<SaturationLabel> find_saturation(const RequestTable& table,
                                             const std::vector<std::string>& detectors,
                                             const SaturationConfig& config,
                                             const Semantics& semantics, const VerdictSink& sink) {
  if (detectors.empty()) return {};
  const std::vector<Event> events = events_of(table, !semantics.detectors_see_unfinished);
  if (events.empty()) return {};
  std::vector<std::unique_ptr<SaturationDetector>> running;
  std::vector<FinalWindow> windows;
  for (const std::string& name : detectors) {
    running.push_back(policy_of(saturation_detectors(), name).make(config, semantics));
    windows.emplace_back(config.final_window_s);
  }
  // That a system empties once nothing arrives any more says nothing about its load.
  const auto ignores = [&](std::size_t detector, Time at) {
    return semantics.drift_by_standard_error && detectors[detector] == "backlog-drift" &&
           at > table.arrival.back();
  };
  for (const Event& event : events) {
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (ignores(i, event.at)) continue;
      if (event.completes) {
        running[i]->completion(event.at, table.e2e[event.row]);
      } else {
        running[i]->arrival(event.at);
      }
      const SaturationVerdict verdict = running[i]->verdict();
      windows[i].add(event.at, verdict.level);
      if (sink) sink(event.at, detectors[i], verdict);
    }
  }
  std::vector<SaturationLabel> labels;
  for (std::size_t i = 0; i < detectors.size(); ++i) {
    labels.push_back({detectors[i], windows[i].level()});
  }
  return labels;
}

Result<SaturationSettings> read_saturation_config(SpecFile file,
                                                  const std::vector<std::string>& detectors) {
  SpecMap top = file.top();
  SaturationSettings settings;
  if (auto block = block_of(top, "threshold", "threshold", detectors)) {
    settings.config.threshold_ms =
        block->optional_number("threshold_ms", kPositive).value_or(settings.config.threshold_ms);
  }
  if (auto block = block_of(top, "backlog_drift", "backlog-drift", detectors)) {
    read_backlog_drift(*block, &settings);
  }
  return file.finish(std::move(settings));
}

}  // namespace plimsoll
