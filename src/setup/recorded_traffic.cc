// Traffic that a trace recorded.
#include <algorithm>

#include "base/text.h"
#include "setup/config_log.h"
#include "setup/setup.h"
#include "setup/traffic.h"
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

Result<void> check_trace_flags(const TraceSpec& trace) {
  const bool v2 = !trace.header.empty() || !trace.data.empty();
  if (trace.path.empty() && !v2) {
    return fail(ErrorKind::usage, "no trace given",
                "give its file, --trace with --trace-format, or --trace-header with --trace-data");
  }
  if (!trace.path.empty() && v2) {
    return fail(ErrorKind::usage, "--trace and --trace-header/--trace-data exclude each other");
  }
  if (v2 && trace.header.empty()) {
    return fail(ErrorKind::usage, "--trace-data needs its --trace-header");
  }
  if (v2 && trace.data.empty()) {
    return fail(ErrorKind::usage, "--trace-header needs its --trace-data");
  }
  if (v2 == trace.format.has_value()) {
    return fail(ErrorKind::usage,
                v2 ? "--trace-format goes with --trace only" : "--trace needs its --trace-format",
                "say which it is: --trace-format " + join(names_of(trace_formats()), "|"));
  }
  return {};
}

Result<void> check_session_flags(const RunSpec& run) {
  if (run.traffic.trace.session_mode == SessionMode::closed_loop) {
    if (run.traffic.trace.path.empty()) return {};
    return fail(ErrorKind::usage, "--session-mode closed-loop needs a trace with sessions",
                "that is a TraceV2 trace: --trace-header and --trace-data");
  }
  if (!run.traffic.think_time_ms.is_asked() && run.traffic.think_time_dist.empty()) return {};
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

Result<TraceV2> read_recording(const RunSpec& run, const std::string& model) {
  const Semantics semantics = semantics_of(run);
  TraceV2Reading reading{.served_model = model,
                         .refuse_unknown_slo_classes = semantics.refuse_unknown_slo_classes,
                         .closed_loop = run.traffic.trace.session_mode == SessionMode::closed_loop,
                         .think_times_exclude_service = semantics.think_times_exclude_service};
  return read_trace_v2(run.traffic.trace.header, run.traffic.trace.data, reading);
}

// The later rounds of sessions wait for their answers.
Result<void> close_loops(const RunSpec& run, const TraceV2Header& header, Traffic* traffic) {
  const Semantics semantics = semantics_of(run);
  TRY(sessions, sessions_of(*traffic->workload, run.traffic.trace.data));
  if (sessions.empty()) {
    traffic->notes.push_back("the trace has no sessions: all requests arrive as recorded");
  }
  TRY(think_time, think_time_of(run));
  SessionReplayOptions how{.seed = traffic->seed,
                           .think_time = think_time,
                           .accumulate = header.context_accumulates,
                           .follow_ups_as_recorded = semantics.follow_ups_as_recorded,
                           .context_has_last_token = semantics.context_has_last_token,
                           .default_timeout = semantics.default_timeout};
  auto source = std::make_unique<SessionReplay>(*traffic->workload, std::move(sessions), how);
  traffic->horizon = default_horizon(source->last_recorded_arrival(), semantics);
  traffic->source = std::move(source);
  return {};
}

// A trace knows the seed of the run it recorded, so that a replay makes the same random choices.
Result<void> replay_recording(const RunSpec& run, const std::string& model, Traffic* traffic) {
  TRY(trace, read_recording(run, model));
  for (const Labels::Client& client : trace.workload.labels.clients) {
    TRY_TO(refuse_adapter(client.adapter, run.traffic.trace.data, model));
  }
  note_oddities(trace, model, &traffic->notes);
  traffic->goodput_slo_targets = trace.header.goodput_slo_targets;
  if (!run.traffic.seed.is_asked() && trace.header.workload_seed) {
    traffic->seed = static_cast<std::uint64_t>(*trace.header.workload_seed);
  }
  traffic->workload = std::make_unique<Workload>(std::move(trace.workload));
  traffic->workload->begins_sessions = trace.header.sessions_begin;
  if (run.traffic.trace.session_mode == SessionMode::fixed) return {};
  return close_loops(run, trace.header, traffic);
}

bool records_media(const Workload& workload) {
  return std::ranges::any_of(workload.tags, [](const RequestTags& tags) {
    return tags.image_tokens > 0 || tags.audio_tokens > 0 || tags.video_tokens > 0;
  });
}

}  // namespace

Result<Traffic> recorded_traffic(const RunSpec& run, const std::string& model) {
  TRY_TO(check_trace_flags(run.traffic.trace));
  TRY_TO(check_session_flags(run));
  Traffic traffic;
  traffic.seed = static_cast<std::uint64_t>(run.traffic.seed);
  if (run.traffic.trace.path.empty()) {
    TRY_TO(replay_recording(run, model, &traffic));
  } else {
    TRY(workload, read_trace(run.traffic.trace.path, *run.traffic.trace.format));
    traffic.workload = std::make_unique<Workload>(std::move(workload));
  }
  if (!traffic.source) {
    traffic.source = std::make_unique<WorkloadSource>(*traffic.workload);
    traffic.horizon = default_horizon(traffic.workload->arrival.back(), semantics_of(run));
  }
  if (run.traffic.horizon_us) traffic.horizon = horizon_from_us(*run.traffic.horizon_us);
  traffic.requests = static_cast<std::int64_t>(traffic.workload->size());
  if (records_media(*traffic.workload)) note_media(model, &traffic.notes);
  ConfigLog log;
  const TraceSpec& trace = run.traffic.trace;
  if (!run.traffic.trace.path.empty()) {
    log.value("trace", trace.path, trace.path);
    log.value("trace-format", name_of(trace_formats(), *trace.format), trace.format);
  } else {
    log.value("trace-header", trace.header, trace.header);
    log.value("trace-data", trace.data, trace.data);
  }
  traffic.config = log.take();
  return traffic;
}

}  // namespace plimsoll
