#include "cli/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <memory>

#include "base/lists.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/idle_flags.h"
#include "cli/outputs.h"
#include "cli/policy_bundle.h"
#include "cli/progress.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "cluster/simulation.h"
#include "metrics/bottleneck.h"
#include "metrics/pools.h"
#include "metrics/summary.h"
#include "report/run/json.h"
#include "report/run/results_file.h"
#include "report/run/terminal.h"
#include "report/run/timeline.h"
#include "setup/metric_request.h"
#include "setup/model_band.h"
#include "setup/run_again.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

// Where the CPU time of a run went, for `--log info`; the first lap begins with the process. It
// goes to stderr: results know no clock.
class CpuLaps {
 public:
  // All CPU time since the last lap, user and system, was spent on this.
  void lap(std::string_view what) {
    const std::clock_t now = std::clock();
    const double seconds = static_cast<double>(now - last_) / CLOCKS_PER_SEC;
    text_ += fmt::format("{}{:.3f} {}", text_.empty() ? "" : ", ", seconds, what);
    last_ = now;
  }

  // "CPU seconds: 0.003 setup, 1.204 traffic, ..."
  std::string text() const { return "CPU seconds: " + text_; }

 private:
  std::clock_t last_ = 0;
  std::string text_;
};

std::string result_text(const Options& options, const Summary& summary, const RunConfig& config) {
  return in_form_asked_for(
      options.console,
      {[&] { return summary_json(summary, config); }, [&] { return verdict_text(summary, config); },
       [&](const Style& style) { return summary_text(summary, config, style); }});
}

// What the run was, as far as it matters to its result.
RunConfig describe_run(const Command& command, const Setup& setup, const Traffic& traffic) {
  const Options& options = command.options;
  RunConfig config;
  config.verb = command.verb.name;
  config.seed = static_cast<std::int64_t>(traffic.seed);  // as it was given
  config.entries = setup.config;
  for (const auto& more : {traffic.config, setup.limits}) append(&config.entries, more);
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

/// Runs to the end, or until Ctrl-C, of which it tells how far the run got.
bool is_cut_short(const Interruption& interruption, const std::optional<std::int64_t>& requests,
                  Simulation* simulation) {
  {
    ProgressMonitor monitor(interruption, requests);
    if (simulation->advance({}, &monitor) || !interruption.requested()) return false;
  }
  const Progress progress = simulation->progress();
  print_error(fmt::format(
      "interrupted after {:.1f} simulated seconds: {} of {} arrived requests finished\n",
      to_seconds(progress.now), grouped(progress.finished), grouped(progress.arrived)));
  return true;
}

/// The run again, as its answer may be wrong: with the model's error, with its instances
/// divided better, and without flags of the engine that are far from their defaults. Marks the
/// summary where Ctrl-C ends that.
void try_again(const Options& options, const Setup& setup, TrafficMaker make_traffic,
               const SummaryOptions& wanted, const Interruption& interruption, Summary* summary) {
  std::atomic<bool> is_cut = false;  // a word that comes once all is done takes nothing away
  const RunMade made{
      options.run, setup, make_traffic, wanted, threads_for(options.console.threads), [&] {
        if (interruption.requested()) is_cut = true;
        return !is_cut.load();
      }};
  if (!options.metrics.no_model_error) summary->model_band = run_model_band(made, *summary);
  summary->pools.tried = try_better_division(made, *summary);
  if (summary->pools.tried && asks_for_instances(summary->bottleneck.lever.cause))
    summary->bottleneck.lever = *lever_of_pools(*summary);
  if (const auto lever = try_engine_defaults(made, *summary)) summary->bottleneck.lever = *lever;
  summary->interrupted = is_cut;
  if (is_cut)
    print_error("interrupted after the simulation, before the runs that check its answer ended\n");
}

/// Whether the answer lacks what only runs with other step times show.
bool lacks_model_error(const Options& options, const Setup& setup, const Summary& summary) {
  return setup.model_error && !options.metrics.no_model_error && !summary.model_band &&
         (summary.interrupted || is_too_long_for_band(summary));
}

/// What only deployment and traffic know.
void complete(const Setup& setup, const Traffic& traffic, SummaryOptions* wanted) {
  wanted->labels = &traffic.source->labels();
  wanted->clients_of_users = traffic.clients_of_users;
  wanted->deployment = &setup.deployment;
  fill_in(goodput_targets(traffic.goodput_slo_targets), &wanted->goodput);
}

std::string title_of_page(const Command& command, const Setup& setup) {
  return (command.verb.name == "run" ? "Run of " : "Replay on ") + setup.model;
}

int simulate_and_report(const Command& command, const Setup& setup, TrafficMaker make_traffic,
                        const Traffic& traffic, MetricRequest asked, const RunConfig& config,
                        CpuLaps& laps) {
  const Options& options = command.options;
  TraceRecorder recorder;
  const std::unique_ptr<TimelineWriter> timeline = open_timeline(options);
  const std::unique_ptr<DecisionTrace> decisions = open_decisions(options, setup);
  Simulation simulation(setup.deployment, *traffic.source,
                        {.semantics = semantics_of(options.run),
                         .seed = traffic.seed,
                         .horizon = traffic.horizon,
                         .arrival_log = options.outputs.trace_prefix.empty() ? nullptr : &recorder,
                         .engine_log = timeline.get(),
                         .decision_log = decisions.get(),
                         .threads = threads_for(options.console.threads)});

  const Interruption interruption;  // until all files are written
  const bool interrupted = is_cut_short(interruption, traffic.requests, &simulation);
  const RunRecord record = simulation.take_record();
  laps.lap("simulation");

  SummaryOptions& wanted = asked.summary;
  complete(setup, traffic, &wanted);
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
  summary.interrupted = interrupted;
  if (!interrupted) {
    print_notes(options, notes_on_absent_names(options, summary));
    try_again(options, setup, make_traffic, wanted, interruption, &summary);
  }
  summary.model_error_untested = lacks_model_error(options, setup, summary);
  if (wants_page(options.console))
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
  const auto text = [&](const Style& style) { return summary_text(summary, config, style); };
  append(&files, page_of(command, title_of_page(command, setup), text));
  return hand_over(result_text(options, summary, config), files,
                   summary.interrupted ? interrupted_code() : 0);
}

Result<int> simulate(const Command& command, TrafficMaker make_traffic) {
  const Options& options = command.options;
  CpuLaps laps;
  TRY_TO(check_outputs(command));
  TRY(wanted, metric_request(options.metrics, options.run));
  TRY(setup, setup_of(options));
  laps.lap("setup");
  TRY(traffic, make_traffic(options.run, setup.model));
  laps.lap("traffic");
  for (const auto& notes :
       {command.notes, notes_on_decisions(options), wanted.notes, setup.notes, traffic.notes}) {
    print_notes(options, notes);
  }
  const int code = simulate_and_report(command, setup, make_traffic, traffic, wanted,
                                       describe_run(command, setup, traffic), laps);
  laps.lap("report");
  if (options.console.log == LogLevel::info) print_error("note: " + laps.text() + "\n");
  return code;
}

}  // namespace

Result<int> simulating_verb(const Command& command, TrafficMaker make_traffic) {
  Command with_files = command;
  TRY(notes, apply_files(&with_files.options));
  append(&with_files.notes, notes);
  return simulate(with_files, make_traffic);
}

}  // namespace plimsoll
