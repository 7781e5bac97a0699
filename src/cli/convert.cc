// `plimsoll convert ...`: other forms of traffic as workload specifications or TraceV2 traces.
#include <fmt/format.h>

#include <vector>

#include "base/calendar.h"
#include "base/file.h"
#include "base/quoting.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/spec_output.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "forecast/history/prometheus.h"
#include "setup/input_file.h"
#include "workload/compose.h"
#include "workload/inference_perf.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"
#include "workload/trace_v2.h"
#include "workload/trace_v2_writer.h"

namespace plimsoll {
namespace {

WorkloadSpec preset_spec(const Preset& preset, const Options& options) {
  constexpr std::int64_t kRequests = 100;  // as the reference
  WorkloadSpec spec;
  spec.category = "language";
  spec.aggregate_rate_rps = options.run.traffic.rate_rps;
  spec.num_requests = options.run.traffic.num_requests.value_or(kRequests);
  ClientSpec client;
  client.id = "preset-" + preset.name;
  client.input = preset.prompt;
  client.output = preset.output;
  spec.clients.push_back(client);
  return spec;
}

Result<WorkloadSpec> servegen_spec(const Options& options) {
  const bool cohorts = options.conversion.servegen_form == ServegenForm::cohorts;
  for (const char* flag : {"--window-duration-seconds", "--drain-timeout-seconds", "--seed"}) {
    if (!cohorts && is_given(options, flag)) {
      return fail(ErrorKind::usage, std::string(flag) + " is for --as cohorts only",
                  "clients keep their own times");
    }
  }
  TRY(data, read_servegen(options.conversion.import_path));
  ServegenOptions servegen{.period = options.conversion.servegen_period,
                           .window_duration_s = options.conversion.window_duration_s,
                           .drain_timeout_s = options.conversion.drain_timeout_s,
                           .seed = static_cast<std::uint64_t>(options.run.traffic.seed)};
  return cohorts ? servegen_cohorts(data, servegen) : servegen_clients(data, servegen);
}

Result<HistoryRows> read_metrics(const std::string& path, const std::string& route_label) {
  TRY(text, read_file(path));
  TRY(response, as_range_response(text, path));
  HistoryOptions how;
  how.route_label = route_label;
  return read_prometheus_rows(response, path, how);
}

// As forecast/history/rows.h reads it.
std::string history_csv(const HistoryRows& history) {
  const bool has_routes = !history.routes.front().name.empty();
  std::string text = has_routes ? "time,route" : "time";
  for (const std::string& name : history.names) text += "," + name;
  text += "\n";
  for (std::size_t i = 0; i < history.routes.front().rows.size(); ++i) {
    for (const HistoryRoute& route : history.routes) {
      text += iso_time(static_cast<double>(route.rows[i].ns) / 1e9);
      if (has_routes) text += "," + csv_text(route.name);
      for (const double value : route.rows[i].values) text += "," + shortest(value);
      text += "\n";
    }
  }
  return text;
}

// Writes what the trace says and prints where it is.
Result<int> write_trace(const Workload& workload, const std::string& prefix) {
  WorkloadSource source(workload);
  std::vector<Request> requests(workload.size());
  for (Request& request : requests) source.next(&request);
  TraceV2Header header;
  header.mode = "real";
  const auto nothing_happened = [](std::size_t) { return TraceV2Result{}; };
  TRY_TO(write_trace_v2(prefix, header, requests, workload.labels, nothing_happened));
  return print_result(fmt::format("{} written to {}.csv, with their header {}.yaml\n",
                                  counted(std::ssize(requests), "request"), prefix, prefix));
}

// The two files of a TraceV2 trace: those of the flags, or the one that is named and the other
// beside it.
Result<TraceSpec> named_trace_v2(const Command& command) {
  const TraceSpec& by_flags = command.options.run.traffic.trace;
  if (command.arguments.empty()) {
    if (!by_flags.header.empty() && !by_flags.data.empty()) return by_flags;
    return fail(ErrorKind::usage, "no trace given",
                "name its file, or give --trace-header and --trace-data");
  }
  const std::string& path = command.arguments.front();
  if (!by_flags.header.empty() || !by_flags.data.empty()) {
    return fail(ErrorKind::usage, "the trace is " + path + ", or that of --trace-header?",
                "give one of them");
  }
  TrafficSpec named;
  TRY_TO(name_input(path, &named));
  if (!named.trace.header.empty()) return named.trace;
  return fail(ErrorKind::usage, path + " is not a TraceV2 trace",
              "`plimsoll list conversions` shows what reads other formats");
}

}  // namespace

Result<int> convert_preset_verb(const Command& command) {
  const Options& options = command.options;
  if (options.conversion.preset.empty())
    return fail(ErrorKind::usage, "no preset given",
                "name one, such as chatbot; `plimsoll list presets` shows all");
  TRY(preset, find_preset(options.conversion.preset));
  return print_spec(preset_spec(preset, options), command);
}

Result<int> convert_servegen_verb(const Command& command) {
  if (command.options.conversion.import_path.empty()) {
    return fail(ErrorKind::usage, "no data given",
                "name a folder of chunk-<id>-trace.csv, or the part of the names before "
                "-clients.csv");
  }
  TRY(spec, servegen_spec(command.options));
  return print_spec(spec, command);
}

Result<int> convert_inference_perf_verb(const Command& command) {
  if (command.options.conversion.import_spec.empty()) {
    return fail(ErrorKind::usage, "no configuration given",
                "give --spec FILE, a YAML file of inference-perf");
  }
  TRY(perf, read_inference_perf_file(command.options.conversion.import_spec));
  TRY(spec, expand_inference_perf(perf));
  return print_spec(spec, command);
}

Result<int> convert_metrics_verb(const Command& command) {
  const Options& options = command.options;
  if (options.conversion.metrics.empty()) {
    return fail(ErrorKind::usage, "no recording given",
                "give --metrics FILE: the answer to query_range of Prometheus, what /metrics "
                "printed, or OpenTelemetry JSON lines");
  }
  TRY(history, read_metrics(options.conversion.metrics, options.conversion.route_label));
  print_notes(options, history.notes);
  const std::string& path = options.conversion.output;
  if (path.empty()) return print_result(history_csv(history));
  TRY_TO(replace_file(path, history_csv(history)));
  return print_result(fmt::format("{} of history written to {}\n",
                                  counted(std::ssize(history.routes.front().rows), "step"), path));
}

Result<int> convert_trace_verb(const Command& command) {
  const Options& options = command.options;
  const std::string name(command.verb.name.substr(command.verb.name.find(' ') + 1));
  if (options.run.traffic.trace.path.empty())
    return fail(ErrorKind::usage, "no trace given", "give --trace FILE");
  if (options.conversion.output.empty()) {
    return fail(ErrorKind::usage, "no output given",
                "give --output PREFIX for PREFIX.csv and PREFIX.yaml");
  }
  TRY_TO(check_trace_v2_prefix(options.conversion.output));
  TRY(workload, read_trace(options.run.traffic.trace.path, *value_of(trace_formats(), name)));
  return write_trace(workload, options.conversion.output);
}

Result<int> convert_tracev2_verb(const Command& command) {
  TRY(files, named_trace_v2(command));
  TRY(trace, read_trace_v2(files.header, files.data, {}));
  return print_spec(fit_workload(trace.workload), command);
}

}  // namespace plimsoll
