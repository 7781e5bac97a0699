// `plimsoll replay`: what happens when this recorded traffic comes again? Traffic comes from a
// trace.
#include <algorithm>

#include "base/quoting.h"
#include "base/text.h"
#include "cli/config_log.h"
#include "cli/console.h"
#include "cli/input_file.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/setup.h"
#include "cli/simulate.h"
#include "cli/think_flags.h"
#include "workload/session_replay.h"
#include "workload/trace_formats.h"
#include "workload/trace_v2.h"

namespace plimsoll {
namespace {

/// Under `blis`, when all requests arrive at time zero.
constexpr Duration kHorizonOfInstantTraces = seconds(600);

// The reference stops a replay at twice the latest arrival.
Time default_horizon(Time last, const Semantics& semantics) {
  if (!semantics.replay_stops_at_twice_last_arrival) return kNever;
  if (last == Time{}) return Time{} + kHorizonOfInstantTraces;
  if (last.ns > kNever.ns / 2) return kNever;
  return {2 * last.ns};
}

Result<void> check_trace_flags(const Options& options) {
  const bool v2 = !options.trace_header.empty() || !options.trace_data.empty();
  if (options.trace.empty() && !v2) {
    return fail(ErrorKind::usage, "which trace? give its file",
                "or --trace with --trace-format, or --trace-header with --trace-data");
  }
  if (!options.trace.empty() && v2) {
    return fail(ErrorKind::usage, "--trace and --trace-header/--trace-data exclude each other");
  }
  if (v2 && options.trace_header.empty()) {
    return fail(ErrorKind::usage, "--trace-data needs its --trace-header");
  }
  if (v2 && options.trace_data.empty()) {
    return fail(ErrorKind::usage, "--trace-header needs its --trace-data");
  }
  if (v2 == options.trace_format.has_value()) {
    return fail(ErrorKind::usage,
                v2 ? "--trace-format goes with --trace only" : "--trace needs its --trace-format",
                "formats: " + join(names_of(trace_formats()), ", "));
  }
  return {};
}

Result<void> check_session_flags(const Options& options) {
  if (options.session_mode == SessionMode::closed_loop) {
    if (options.trace.empty()) return {};
    return fail(ErrorKind::usage, "--session-mode closed-loop needs a trace with sessions",
                "that is a TraceV2 trace: --trace-header and --trace-data");
  }
  if (!options.is_given("--think-time-ms") && options.think_time_dist.empty()) return {};
  return fail(ErrorKind::usage, "think times need --session-mode closed-loop",
              "in a fixed replay every request arrives as recorded");
}

void note_oddities(const TraceV2& trace, const std::string& model,
                   std::vector<std::string>* notes) {
  if (trace.other_model_requests > 0) {
    notes->push_back("of the trace, " + counted(trace.other_model_requests, "request") +
                     " for another model than " + model + " will be rejected");
  }
  if (trace.unknown_class_requests > 0) {
    notes->push_back("of the trace, " + counted(trace.unknown_class_requests, "request") +
                     " of an unknown SLO class will count as standard");
  }
}

Result<TraceV2> read_recording(const Options& options, const std::string& model) {
  const Semantics semantics = semantics_of(options);
  TraceV2Reading reading;
  reading.served_model = model;
  reading.refuse_unknown_slo_classes = semantics.refuse_unknown_slo_classes;
  reading.closed_loop = options.session_mode == SessionMode::closed_loop;
  reading.think_times_exclude_service = semantics.think_times_exclude_service;
  return read_trace_v2(options.trace_header, options.trace_data, reading);
}

// The later rounds of sessions wait for their answers.
Result<void> close_loops(const Options& options, const TraceV2Header& header, Traffic* traffic) {
  const Semantics semantics = semantics_of(options);
  auto sessions = sessions_of(*traffic->workload, options.trace_data);
  if (!sessions) return pass_on(sessions);
  if (sessions->empty()) {
    traffic->notes.push_back("the trace has no sessions: all requests arrive as recorded");
  }
  auto think_time = think_time_of(options);
  if (!think_time) return pass_on(think_time);
  SessionReplayOptions how;
  how.seed = traffic->seed;
  how.think_time = *think_time;
  how.accumulate = header.context_accumulates;
  how.follow_ups_as_recorded = semantics.follow_ups_as_recorded;
  how.context_has_last_token = semantics.context_has_last_token;
  how.default_timeout = semantics.default_timeout;
  auto source = std::make_unique<SessionReplay>(*traffic->workload, std::move(*sessions), how);
  traffic->horizon = default_horizon(source->last_recorded_arrival(), semantics);
  traffic->source = std::move(source);
  return {};
}

// A trace knows the seed of the run it recorded, so that a replay makes the same random choices.
Result<void> replay_recording(const Options& options, const std::string& model, Traffic* traffic) {
  auto trace = read_recording(options, model);
  if (!trace) return pass_on(trace);
  for (const Labels::Client& client : trace->workload.labels.clients) {
    auto base = refuse_adapter(client.adapter, options.trace_data, model);
    if (!base) return base;
  }
  note_oddities(*trace, model, &traffic->notes);
  traffic->goodput_slo_targets = trace->header.goodput_slo_targets;
  if (!options.is_given("--seed") && trace->header.workload_seed) {
    traffic->seed = static_cast<std::uint64_t>(*trace->header.workload_seed);
  }
  traffic->workload = std::make_unique<Workload>(std::move(trace->workload));
  if (options.session_mode == SessionMode::fixed) return {};
  return close_loops(options, trace->header, traffic);
}

// `replay FILE`: as if the flags that name this trace had been given.
Result<Command> with_named_trace(Command command) {
  const std::string path = command.arguments.front();
  Options& options = command.options;
  for (const char* flag : {"--trace", "--trace-header", "--trace-data"}) {
    if (!options.is_given(flag)) continue;
    return fail(ErrorKind::usage,
                "the trace is " + path + ", or that of " + std::string(flag) + "?",
                "give one of them");
  }
  if (options.trace_format) {
    options.trace = path;
  } else if (auto named = name_input(path, &options); !named) {
    return pass_on(named);
  }
  if (!options.workload_spec.empty()) {
    return fail(ErrorKind::usage, path + " is a workload specification, not a trace",
                "plimsoll run --workload-spec " + shell_quoted(path));
  }
  const auto say = [&](const char* flag, const std::string& value) {
    if (!value.empty()) options.given.insert_or_assign(flag, value);
  };
  say("--trace", options.trace);
  if (options.trace_format) {
    say("--trace-format", name_of(trace_formats(), *options.trace_format));
  }
  say("--trace-header", options.trace_header);
  say("--trace-data", options.trace_data);
  command.arguments.clear();
  return command;
}

}  // namespace

Result<Traffic> recorded_traffic(const Options& options, const std::string& model) {
  if (auto checked = check_trace_flags(options); !checked) return pass_on(checked);
  if (auto checked = check_session_flags(options); !checked) return pass_on(checked);
  Traffic traffic;
  traffic.seed = static_cast<std::uint64_t>(options.seed);
  if (options.trace.empty()) {
    if (auto read = replay_recording(options, model, &traffic); !read) return pass_on(read);
  } else {
    auto workload = read_trace(options.trace, *options.trace_format);
    if (!workload) return pass_on(workload);
    traffic.workload = std::make_unique<Workload>(std::move(*workload));
  }
  if (!traffic.source) {
    traffic.source = std::make_unique<WorkloadSource>(*traffic.workload);
    traffic.horizon = default_horizon(traffic.workload->arrival.back(), semantics_of(options));
  }
  if (options.horizon_us) traffic.horizon = horizon_from_us(*options.horizon_us);
  traffic.requests = static_cast<std::int64_t>(traffic.workload->size());
  ConfigLog log(options);
  if (!options.trace.empty()) {
    log.flag("--trace", options.trace);
    log.flag("--trace-format", name_of(trace_formats(), *options.trace_format));
  } else {
    log.flag("--trace-header", options.trace_header);
    log.flag("--trace-data", options.trace_data);
  }
  traffic.config = log.take();
  return traffic;
}

int replay_verb(const Command& command) {
  if (command.arguments.empty()) return simulating_verb(command, recorded_traffic);
  auto named = with_named_trace(command);
  return named ? simulating_verb(*named, recorded_traffic) : report(named.error());
}

}  // namespace plimsoll
