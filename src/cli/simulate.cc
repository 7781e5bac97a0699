#include "cli/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "cli/console.h"
#include "cli/cpu_laps.h"
#include "cli/hand_over.h"
#include "cli/idle_flags.h"
#include "cli/outputs.h"
#include "cli/policy_bundle.h"
#include "cli/progress.h"
#include "cli/style.h"
#include "cluster/simulation.h"
#include "metrics/summary.h"
#include "report/run/json.h"
#include "report/run/results_file.h"
#include "report/run/terminal.h"
#include "report/run/timeline.h"
#include "setup/metric_request.h"
#include "setup/model_band.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

std::string result_text(const Options& options, const Summary& summary, const RunConfig& config) {
  return in_form_asked_for(
      options.console,
      {[&] { return summary_json(summary, config); }, [&] { return verdict_text(summary, config); },
       [&](const Style& style) { return summary_text(summary, config, style); }});
}

// A flag that nobody resolved any further, as it was typed: switches and numbers as such.
ConfigValue value_of_flag(const Flag& flag, const std::string& text) {
  if (flag.value.is_switch) return text == "true";
  long long whole = 0;
  double number = 0;
  if (parse_int(text, &whole)) return std::int64_t{whole};
  if (parse_double(text, &number)) return number;
  return text;
}

// What the run was, as far as it matters to its result.
RunConfig describe_run(const Command& command, const Setup& setup, const Traffic& traffic) {
  const Options& options = command.options;
  RunConfig config;
  config.verb = command.verb.name;
  config.seed = static_cast<std::int64_t>(traffic.seed);  // as it was given
  config.entries = setup.config;
  for (const auto& more : {traffic.config, setup.limits}) {
    config.entries.insert(config.entries.end(), more.begin(), more.end());
  }
  if (traffic.horizon != kNever) {
    const char* otherwise = command.verb.has(FlagGroup::trace) ? "computed" : "file";
    config.entries.push_back({"horizon", traffic.horizon.ns / microseconds(1).ns,
                              options.run.traffic.horizon_us ? "flag" : otherwise});
  }
  for (const Flag& flag : flags()) {
    if (flag.value.origin(options) != Origin::asked || !command.verb.has(flag.group)) continue;
    if (decides_nothing(flag.group)) continue;
    const std::string key(flag.name.substr(2));
    const auto has_key = [&](const ConfigEntry& entry) { return entry.key == key; };
    if (std::any_of(config.entries.begin(), config.entries.end(), has_key)) continue;
    config.entries.push_back({key, value_of_flag(flag, flag.value.texts(options).front()), "flag"});
  }
  return config;
}

int simulate_and_report(const Command& command, const Setup& setup, TrafficMaker make_traffic,
                        const Traffic& traffic, MetricRequest asked, const RunConfig& config,
                        CpuLaps& laps) {
  const Options& options = command.options;
  TraceRecorder recorder;
  SimulationOptions simulation_options;
  simulation_options.semantics = semantics_of(options.run);
  simulation_options.seed = traffic.seed;
  simulation_options.horizon = traffic.horizon;
  const std::unique_ptr<TimelineWriter> timeline = open_timeline(options);
  simulation_options.engine_log = timeline.get();
  if (!options.outputs.trace_prefix.empty()) simulation_options.arrival_log = &recorder;
  const std::unique_ptr<DecisionTrace> decisions = open_decisions(options, setup);
  simulation_options.decision_log = decisions.get();
  Simulation simulation(setup.deployment, *traffic.source, simulation_options);

  const Interruption interruption;  // until all files are written
  bool interrupted = false;
  {
    ProgressMonitor monitor(interruption, traffic.requests);
    interrupted = !simulation.advance({}, &monitor) && interruption.requested();
  }
  if (interrupted) {
    const Progress progress = simulation.progress();
    print_error(
        fmt::format("interrupted after {:.1f} simulated seconds: {} of {} arrived requests "
                    "finished\n",
                    to_seconds(progress.now), progress.finished, progress.arrived));
  }
  const RunRecord record = simulation.take_record();
  laps.lap("simulation");

  SummaryOptions& wanted = asked.summary;
  wanted.labels = &traffic.source->labels();
  wanted.clients_of_users = traffic.clients_of_users;
  wanted.deployment = &setup.deployment;
  fill_in(goodput_targets(traffic.goodput_slo_targets), &wanted.goodput);
  std::vector<SideFile> files =
      output_files(command, setup, traffic, record, recorder, wanted.goodput, timeline.get());
  std::optional<SaturationReport> verdicts;
  if (!options.metrics.saturation_report.empty()) {
    verdicts.emplace(options.metrics.saturation_report);
    wanted.verdict_sink = [&](Time at, const std::string& detector, const SaturationVerdict& v) {
      verdicts->add(at, detector, v);
    };
  }
  Summary summary = summarize(record, wanted);
  if (!interrupted) {
    print_notes(options, notes_on_absent_names(options, summary));
    if (!options.metrics.no_model_error) {
      summary.model_band = run_model_band(options.run, setup, make_traffic, wanted, summary,
                                          [&] { return !interruption.requested(); });
      summary.model_error_untested = setup.model_error && is_too_long_for_band(summary);
    }
  }
  if (!options.console.page.empty())
    summary.over_time =
        latencies_over_time(record.requests, wanted.definitions, summary.steady_state);
  if (verdicts) files.push_back([&] { return verdicts->finish(summary.saturation); });
  if (decisions) {
    files.push_back([&] { return decisions->finish(); });
    summary.decisions = decisions->summary();
    summary.decisions->in_text = options.outputs.summarize_trace;
  }
  if (!options.outputs.metrics_path.empty()) {
    files.push_back([&] {
      return write_metrics(options.outputs.metrics_path, summary_json(summary, config), record,
                           *wanted.labels, wanted.semantics.rows_of_requests_on_their_way);
    });
  }
  const std::string title =
      std::string(command.verb.name == "run" ? "Run of " : "Replay on ") + setup.model;
  for (SideFile& file : page_of(options.console, title, [&](const Style& style) {
         return summary_text(summary, config, style);
       }))
    files.push_back(std::move(file));
  const int code =
      hand_over(result_text(options, summary, config), files, interrupted ? interrupted_code() : 0);
  laps.lap("report");
  if (options.console.log == LogLevel::info) print_error("note: " + laps.text() + "\n");
  return code;
}

int simulate(const Command& command, TrafficMaker make_traffic) {
  const Options& options = command.options;
  CpuLaps laps;
  if (auto checked = check_outputs(command); !checked) return report(checked.error());
  auto wanted = metric_request(options.metrics, options.run);
  if (!wanted) return report(wanted.error());
  auto setup = setup_of(options);
  if (!setup) return report(setup.error());
  laps.lap("setup");
  auto traffic = make_traffic(options.run, setup->model);
  if (!traffic) return report(traffic.error());
  laps.lap("traffic");
  for (const auto& notes :
       {command.notes, notes_on_decisions(options), wanted->notes, setup->notes, traffic->notes}) {
    print_notes(options, notes);
  }
  return simulate_and_report(command, *setup, make_traffic, *traffic, *wanted,
                             describe_run(command, *setup, *traffic), laps);
}

}  // namespace

int simulating_verb(const Command& command, TrafficMaker make_traffic) {
  if (command.options.run.cluster.policy_config.empty()) return simulate(command, make_traffic);
  Command with_policies = command;
  auto notes =
      apply_policy_bundle(command.options.run.cluster.policy_config, &with_policies.options);
  if (!notes) return report(notes.error());
  with_policies.notes.insert(with_policies.notes.end(), notes->begin(), notes->end());
  return simulate(with_policies, make_traffic);
}

}  // namespace plimsoll
