#include "cli/outputs.h"

#include <fmt/format.h>

#include "base/replacement_file.h"
#include "cli/console.h"
#include "cli/style.h"
#include "report/results_file.h"
#include "workload/trace_v2_writer.h"

namespace plimsoll {
namespace {

TraceV2Header header_of_recording(const Command& command, const Setup& setup,
                                  const Traffic& traffic) {
  const Options& options = command.options;
  TraceV2Header header;
  header.mode = command.verb.has(FlagGroup::trace) ? "replayed" : "generated";
  header.workload_seed = static_cast<std::int64_t>(traffic.seed);
  header.workload_spec = options.workload_spec;
  if (header.workload_spec.empty() && options.workload != "distribution") {
    header.workload_spec = "preset:" + options.workload;
  }
  const EngineConfig& engine = setup.deployment.engine;
  header.server = {"plimsoll",          setup.model,       setup.tp,
                   engine.max_num_seqs, engine.block_size, options.gpu_memory_utilization,
                   engine.max_model_len};
  return header;
}

Result<void> finish(TimelineWriter& timeline, const Options& options) {
  if (timeline.cut() != kNever) {
    print_notes(options, {fmt::format("the timeline ends after {:.3f} simulated seconds, with {} "
                                      "events: see --timeline-limit",
                                      to_seconds(timeline.cut()), options.timeline_limit)});
  }
  return timeline.finish();
}

}  // namespace

std::unique_ptr<TimelineWriter> open_timeline(const Options& options) {
  if (options.timeline.empty()) return nullptr;
  return std::make_unique<TimelineWriter>(options.timeline, options.timeline_limit);
}

Result<void> check_outputs(const Options& options) {
  if (!options.results_path.empty()) {
    if (auto checked = check_results_path(options.results_path); !checked) return checked;
  }
  for (const std::string& path : {options.metrics_path, options.saturation_report}) {
    if (path.empty()) continue;
    if (auto checked = check_replaceable(path); !checked) return checked;
  }
  if (!options.timeline.empty()) {
    if (options.timeline == options.results_path) {
      return fail(ErrorKind::usage,
                  "--results-path and --timeline would both write " + options.timeline);
    }
    if (auto checked = check_replaceable(options.timeline); !checked) return checked;
  }
  if (options.trace_output.empty()) return {};
  if (options.results_path == options.trace_output + ".csv") {
    return fail(ErrorKind::usage,
                "--results-path and --trace-output would both write " + options.results_path);
  }
  return check_trace_v2_prefix(options.trace_output);
}

int write_outputs(const Command& command, const Setup& setup, const Traffic& traffic,
                  const RunRecord& record, const TraceRecorder& recorder,
                  TimelineWriter* timeline) {
  const Options& options = command.options;
  int status = 0;
  if (!options.results_path.empty()) {
    const bool all_rows = semantics_of(options).rows_of_requests_on_their_way;
    const Labels& labels = traffic.source->labels();
    if (auto written = write_results(options.results_path, record, labels, all_rows); !written) {
      status = report(written.error());
    }
  }
  if (timeline != nullptr) {
    if (auto written = finish(*timeline, options); !written) status = report(written.error());
  }
  if (!options.trace_output.empty()) {
    const TraceV2Header header = header_of_recording(command, setup, traffic);
    if (auto written =
            recorder.write(options.trace_output, header, record, traffic.source->labels());
        !written) {
      status = report(written.error());
    }
  }
  return status;
}

}  // namespace plimsoll
