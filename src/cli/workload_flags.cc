#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/flag_rows.h"
#include "workload/presets.h"
#include "workload/synthetic.h"
#include "workload/think_time.h"
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
      "--rate", number(&Options::rate_rps, kPositive), "REQ/S",
      "Requests per second offered to the whole cluster; a --workload-spec is played faster or "
      "slower, its horizon with it");
  rows.add("--num-requests", integer(&Options::num_requests, {0, kMostRequests}), "N",
           "How many requests; 0 = until --horizon [10000; with --semantics blis: 100]",
           {{"--max-prompts", true}});
  rows.add("--arrival", one_of(&Options::arrival, arrival_processes()), "PROCESS",
           "Arrival process: constant, poisson, gamma, weibull [poisson; with --semantics "
           "blis: constant]");
  rows.add("--arrival-cv", number(&Options::arrival_cv, kPositive), "CV",
           "Coefficient of variation of gamma or weibull gaps");
  rows.add("--workload", one_of(&Options::workload, workload_names()), "NAME",
           "Token lengths: by the flags below, or of a preset: " + join(names_of(presets()), ", "));
  rows.add("--workload-spec", text(&Options::workload_spec), "FILE",
           "Workload specification (YAML); replaces the flags of this group but --rate");
  rows.add("--concurrency", integer(&Options::concurrency, {0, kMostUsers}), "N",
           "Instead of a rate: N users who each wait for their answer; 0 = none");
  rows.add("--prefix-tokens", integer(&Options::prefix_tokens, {0, kMostTokens}), "N",
           "Shared prefix in front of every prompt");
  const auto length = [&](std::string_view name, std::int64_t Options::*field, long long low,
                          std::string help) {
    rows.add(name, integer(field, {low, kMostTokens}), "N", std::move(help));
  };
  length("--prompt-tokens", &Options::prompt_tokens, 1, "Mean prompt length");
  length("--prompt-tokens-stdev", &Options::prompt_tokens_stdev, 0,
         "Its standard deviation; of another mean the same share");
  length("--prompt-tokens-min", &Options::prompt_tokens_min, 1, "Shortest prompt");
  length("--prompt-tokens-max", &Options::prompt_tokens_max, 1,
         "Longest prompt; of another mean the same share");
  length("--output-tokens", &Options::output_tokens, 1, "Mean answer length");
  length("--output-tokens-stdev", &Options::output_tokens_stdev, 0,
         "Its standard deviation; of another mean the same share");
  length("--output-tokens-min", &Options::output_tokens_min, 1, "Shortest answer");
  length("--output-tokens-max", &Options::output_tokens_max, 1,
         "Longest answer; of another mean the same share");
  rows.add("--timeout", integer(&Options::timeout_s, {-1'000'000'000, 1'000'000'000}), "S",
           "Seconds after which a client gives up; negative = never [never; with --semantics blis: "
           "300]");
}

void add_trace_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::trace};
  rows.add("--trace", text(&Options::trace), "FILE", "Trace to replay; may be .gz or .zst");
  rows.add(
      "--trace-format", one_of(&Options::trace_format, trace_formats()), "NAME",
      "Its format: " + join(names_of(trace_formats()), ", ") + " (plimsoll list trace-formats)");
  rows.add("--trace-header", text(&Options::trace_header), "FILE",
           "YAML header of a TraceV2 trace");
  rows.add("--trace-data", text(&Options::trace_data), "FILE", "CSV rows of a TraceV2 trace");
  rows.add("--session-mode", one_of(&Options::session_mode, session_choices()), "MODE",
           "Rounds of a session arrive as recorded (fixed), or each after the answer to the one "
           "before (closed-loop)");
}

void add_session_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::sessions};
  rows.add("--think-time-ms", integer(&Options::think_time_ms, {0, kLongestThinkMs}), "MS",
           "Closed loops: from an answer to the next request of the same user");
  rows.add("--think-time-dist", text(&Options::think_time_dist), "DIST",
           "The same, drawn: lognormal:mu=M,sigma=S[,min=T,max=T] (of ln seconds) or "
           "constant:value=T");
}

void add_convert_flags(std::vector<Flag>& all) {
  const Rows preset{all, FlagGroup::preset};
  preset.add("--name", one_of(&Options::preset_name, names_of(presets())), "NAME",
             "The preset (plimsoll list presets)");
  preset.add("--rate", number(&Options::rate_rps, kPositive), "REQ/S", "Requests per second");
  preset.add("--num-requests", integer(&Options::num_requests, {1, kMostRequests}), "N",
             "How many requests [100]");
  const Rows servegen{all, FlagGroup::servegen};
  servegen.add(
      "--path", text(&Options::import_path), "PATH",
      "Folder of chunk-<id>-trace.csv and -dataset.json, or the names of X-clients.csv and "
      "X-lengths.csv without their ends: X");
  servegen.add("--as", one_of(&Options::servegen_form, servegen_forms()), "FORM",
               "cohorts: one per period and SLO class; clients: each as measured");
  servegen.add("--time", one_of(&Options::servegen_period, servegen_periods()), "PERIOD",
               "Only midnight, morning or afternoon; default: all");
  servegen.add("--window-duration-seconds",
               integer(&Options::window_duration_s, {1, kLongestPeriodS}), "S",
               "How long the cohorts of a period are active");
  servegen.add("--drain-timeout-seconds", integer(&Options::drain_timeout_s, {0, kLongestPeriodS}),
               "S", "Pause between two periods");
  servegen.add("--seed", integer(&Options::seed, {0}), "N",
               "Of the choice of windows and of the classes");
  Rows{all, FlagGroup::inference_perf}.add(
      "--spec", text(&Options::import_spec), "FILE",
      "Its configuration, or stages and shared_prefix as in a workload specification");
  Rows{all, FlagGroup::plain_trace}.add("--trace", text(&Options::trace), "FILE",
                                        "The trace; may be .gz or .zst");
  const Rows trace_v2{all, FlagGroup::trace_v2};
  trace_v2.add("--trace-header", text(&Options::trace_header), "FILE", "YAML header of the trace");
  trace_v2.add("--trace-data", text(&Options::trace_data), "FILE", "CSV rows of the trace");
  Rows{all, FlagGroup::composed}.add("--from", texts(&Options::from), "FILE",
                                     "A workload specification; may be given many times");
  Rows{all, FlagGroup::spec_output}.add("--output", text(&Options::output), "FILE",
                                        "Where to write the specification; default: stdout");
  Rows{all, FlagGroup::trace_output}.add("--output", text(&Options::output), "PREFIX",
                                         "Writes the TraceV2 trace PREFIX.csv and PREFIX.yaml");
}

}  // namespace plimsoll
