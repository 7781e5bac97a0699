// `plimsoll replay`: what happens when this recorded traffic comes again? Traffic comes from a
// trace.
#include <algorithm>

#include "cli/config_log.h"
#include "cli/run_functions.h"
#include "cli/setup.h"
#include "cli/simulate.h"
#include "workload/trace_formats.h"
#include "workload/trace_v2.h"

namespace plimsoll {
namespace {

/// Under `blis`, when all requests arrive at time zero.
constexpr Duration kHorizonOfInstantTraces = seconds(600);

// The reference stops a replay at twice the latest arrival.
Time default_horizon(const Workload& workload, const Semantics& semantics) {
  if (!semantics.replay_stops_at_twice_last_arrival || workload.size() == 0) return kNever;
  const Time last = workload.arrival.back();
  if (last == Time{}) return Time{} + kHorizonOfInstantTraces;
  if (last.ns > kNever.ns / 2) return kNever;
  return {2 * last.ns};
}

Result<void> check_trace_flags(const Options& options) {
  const bool v2 = !options.trace_header.empty() || !options.trace_data.empty();
  if (options.trace.empty() && !v2) {
    return fail(ErrorKind::usage, "which trace? give --trace with --trace-format",
                "or --trace-header with --trace-data");
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

// A trace knows the seed of the run it recorded, so that a replay makes the same random choices.
Result<Workload> read_workload(const Options& options, const std::string& model,
                               std::uint64_t* seed, std::vector<std::string>* notes) {
  if (!options.trace.empty()) return read_trace(options.trace, *options.trace_format);
  auto trace = read_trace_v2(options.trace_header, options.trace_data, model,
                             semantics_of(options).refuse_unknown_slo_classes);
  if (!trace) return pass_on(trace);
  if (trace->other_model_requests > 0) {
    notes->push_back(std::to_string(trace->other_model_requests) +
                     " requests of the trace name another model than " + model +
                     " and will be rejected");
  }
  if (trace->unknown_class_requests > 0) {
    notes->push_back(std::to_string(trace->unknown_class_requests) +
                     " requests of the trace name an unknown SLO class and count as standard");
  }
  if (!options.is_given("--seed") && trace->header.workload_seed) {
    *seed = static_cast<std::uint64_t>(*trace->header.workload_seed);
  }
  return std::move(trace->workload);
}

}  // namespace

Result<Traffic> recorded_traffic(const Options& options, const std::string& model) {
  if (auto checked = check_trace_flags(options); !checked) return pass_on(checked);
  Traffic traffic;
  traffic.seed = static_cast<std::uint64_t>(options.seed);
  auto workload = read_workload(options, model, &traffic.seed, &traffic.notes);
  if (!workload) return pass_on(workload);
  traffic.workload = std::make_unique<Workload>(std::move(*workload));
  traffic.source = std::make_unique<WorkloadSource>(*traffic.workload);
  traffic.requests = static_cast<std::int64_t>(traffic.workload->size());
  traffic.horizon = options.horizon_us ? horizon_from_us(*options.horizon_us)
                                       : default_horizon(*traffic.workload, semantics_of(options));
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

int replay_verb(const Command& command) { return simulating_verb(command, recorded_traffic); }

}  // namespace plimsoll
