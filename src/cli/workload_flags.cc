#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/flag_rows.h"
#include "setup/choices.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

std::vector<std::string> workload_names() {
  std::vector<std::string> names = names_of(presets());
  names.emplace_back("distribution");
  return names;
}

}  // namespace

void add_workload_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::workload};
  rows.add(
      "--rate", number(&TrafficSpec::rate_rps, kPositive), "REQ/S",
      "Requests per second offered to the whole cluster; a --workload-spec is played faster or "
      "slower, horizon included",
      {{"--qps", kOtherWord}, {"--request-rate", kOtherWord}});
  rows.add("--num-requests",
           integer(&TrafficSpec::num_requests, {0, kMostRequests})
               .usually("10000; with --semantics blis: 100"),
           "N", "How many requests; 0 = until --horizon",
           {{"--max-prompts", kDeprecated}, {"--num-prompts", kOtherWord}});
  rows.add("--arrival",
           one_of(&TrafficSpec::arrival, arrival_processes())
               .usually("poisson; with --semantics blis: constant"),
           "PROCESS", "Arrival process: constant, poisson, gamma, weibull");
  rows.add("--arrival-cv", number(&TrafficSpec::arrival_cv, kPositive), "CV",
           "Coefficient of variation of gamma or weibull gaps");
  rows.add(
      "--workload", one_of(&TrafficSpec::workload, workload_names()), "NAME",
      "Token lengths: distribution (as the flags of prompt and output tokens say) or a preset: " +
          join(names_of(presets()), ", "));
  rows.add("--workload-spec", text(&TrafficSpec::workload_spec), "FILE",
           "Workload specification (YAML); replaces the other workload flags but --rate");
  rows.add("--concurrency", integer(&TrafficSpec::concurrency, {0, kMostUsers}), "N",
           "Closed loop of N users, each waiting for an answer, in place of --rate; "
           "0 = none");
  rows.add("--prefix-tokens", integer(&TrafficSpec::prefix_tokens, {0, kMostTokens}), "N",
           "Tokens of a shared prefix in front of every prompt");
  const auto length = [&](std::string_view name, LengthSpec TrafficSpec::*of,
                          Setting<std::int64_t> LengthSpec::*field, long long low, std::string help,
                          std::vector<Alias> aliases = {}) {
    Place<Setting<std::int64_t>> place(
        [=](const Options& o) -> const Setting<std::int64_t>& { return o.run.traffic.*of.*field; },
        true);
    rows.add(name, integer(std::move(place), {low, kMostTokens}), "N", std::move(help),
             std::move(aliases));
  };
  length("--prompt-tokens", &TrafficSpec::prompt, &LengthSpec::mean, 1, "Mean prompt length",
         {{"--prompt-length", kOtherWord}, {"--input-tokens", kOtherWord}});
  length("--prompt-tokens-stdev", &TrafficSpec::prompt, &LengthSpec::stdev, 0,
         "Standard deviation of prompt length; it scales with the mean");
  length("--prompt-tokens-min", &TrafficSpec::prompt, &LengthSpec::min, 1, "Shortest prompt");
  length("--prompt-tokens-max", &TrafficSpec::prompt, &LengthSpec::max, 1,
         "Longest prompt; it scales with the mean");
  length("--output-tokens", &TrafficSpec::output, &LengthSpec::mean, 1, "Mean answer length",
         {{"--output-length", kOtherWord}, {"--answer-tokens", kOtherWord}});
  length("--output-tokens-stdev", &TrafficSpec::output, &LengthSpec::stdev, 0,
         "Standard deviation of answer length; it scales with the mean");
  length("--output-tokens-min", &TrafficSpec::output, &LengthSpec::min, 1, "Shortest answer");
  length("--output-tokens-max", &TrafficSpec::output, &LengthSpec::max, 1,
         "Longest answer; it scales with the mean");
  rows.add("--timeout",
           integer(&TrafficSpec::timeout_s, {-1'000'000'000, 1'000'000'000})
               .usually("never; with --semantics blis: 300"),
           "S", "Seconds after which a client gives up; negative = never");
}

void add_trace_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::trace};
  rows.add("--trace", text(&TraceSpec::path), "FILE", "Trace to replay; may be .gz or .zst");
  rows.add("--trace-format", one_of(&TraceSpec::format, trace_formats()), "NAME",
           "Format of --trace: " + join(names_of(trace_formats()), ", ") +
               " (plimsoll list trace-formats)");
  rows.add("--trace-header", text(&TraceSpec::header), "FILE", "YAML header of a TraceV2 trace");
  rows.add("--trace-data", text(&TraceSpec::data), "FILE", "CSV rows of a TraceV2 trace");
  rows.add("--session-mode", one_of(&TraceSpec::session_mode, session_choices()), "MODE",
           "Rounds of a session arrive as recorded (fixed), or each after the answer to the one "
           "before (closed-loop)");
}

void add_session_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::sessions};
  rows.add("--think-time-ms", integer(&TrafficSpec::think_time_ms, {0, kLongestThinkMs}), "MS",
           "Think time of a user in a closed loop, from an answer to the next request");
  rows.add(
      "--think-time-dist", text(&TrafficSpec::think_time_dist), "DIST",
      "Distribution of the think time: lognormal:mu=M,sigma=S[,min=T,max=T] (of ln seconds) or "
      "constant:value=T");
}

void add_convert_flags(std::vector<Flag>& all) {
  const Rows preset{all, FlagGroup::preset};
  preset.add("--name", one_of(&ConversionSpec::preset, names_of(presets())), "NAME",
             "Preset to convert (plimsoll list presets)");
  preset.add("--rate", number(&TrafficSpec::rate_rps, kPositive), "REQ/S", "Requests per second");
  preset.add("--num-requests",
             integer(&TrafficSpec::num_requests, {1, kMostRequests}).usually("100"), "N",
             "How many requests");
  const Rows servegen{all, FlagGroup::servegen};
  servegen.add("--path", text(&ConversionSpec::import_path), "PATH",
               "Folder of chunk-<id>-trace.csv and chunk-<id>-dataset.json; or X for the files "
               "X-clients.csv and X-lengths.csv");
  servegen.add(
      "--as", one_of(&ConversionSpec::servegen_form, servegen_forms()), "FORM",
      "What to write: cohorts (one per period and SLO class) or clients (each as measured)");
  servegen.add("--time",
               one_of(&ConversionSpec::servegen_period, servegen_periods()).usually("all"),
               "PERIOD", "Period of the day to convert: midnight, morning, afternoon or all");
  servegen.add("--window-duration-seconds",
               integer(&ConversionSpec::window_duration_s, {1, kLongestPeriodS}), "S",
               "How long the cohorts of a period are active");
  servegen.add("--drain-timeout-seconds",
               integer(&ConversionSpec::drain_timeout_s, {0, kLongestPeriodS}), "S",
               "Pause between two periods");
  servegen.add("--seed", integer(&TrafficSpec::seed, {0}), "N",
               "Seed of the random choice of windows and classes");
  Rows{all, FlagGroup::inference_perf}.add(
      "--spec", text(&ConversionSpec::import_spec), "FILE",
      "Configuration of inference-perf, or stages and shared_prefix as in a workload "
      "specification");
  const Rows recorded{all, FlagGroup::recorded_metrics};
  recorded.add("--metrics", text(&ConversionSpec::metrics), "FILE",
               "Counters of vLLM or SGLang: an answer to query_range of Prometheus, what /metrics "
               "prints with a time before each scrape, or OpenTelemetry JSON lines");
  recorded.add("--route-label", text(&ConversionSpec::route_label).usually("all are one"), "NAME",
               "Label of the counters that tells routes apart");
  recorded.add("--output", text(&ConversionSpec::output).usually("stdout"), "FILE",
               "Where to write the history");
  Rows{all, FlagGroup::plain_trace}.add("--trace", text(&TraceSpec::path), "FILE",
                                        "Trace to convert; may be .gz or .zst");
  const Rows trace_v2{all, FlagGroup::trace_v2};
  trace_v2.add("--trace-header", text(&TraceSpec::header), "FILE", "YAML header of the trace");
  trace_v2.add("--trace-data", text(&TraceSpec::data), "FILE", "CSV rows of the trace");
  Rows{all, FlagGroup::composed}.add(
      "--from", texts(&ConversionSpec::from), "FILE",
      "A workload specification to merge; may be given several times");
  Rows{all, FlagGroup::spec_output}.add("--output", text(&ConversionSpec::output).usually("stdout"),
                                        "FILE", "Where to write the specification");
  Rows{all, FlagGroup::trace_output}.add(
      "--output", text(&ConversionSpec::output), "PREFIX",
      "Where to write the TraceV2 trace: PREFIX.csv and PREFIX.yaml");
}

}  // namespace plimsoll
