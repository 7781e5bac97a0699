#include "cli/outputs.h"

#include <utility>

#include <fmt/format.h>

#include "cli/style.h"
#include "report/run/results_file.h"
#include "setup/metric_request.h"
#include "workload/trace_v2_writer.h"

namespace plimsoll {
namespace {

TraceV2Header header_of_recording(const Command& command, const Setup& setup,
                                  const Traffic& traffic) {
  const Options& options = command.options;
  TraceV2Header header;
  header.mode = command.verb.has(FlagGroup::trace) ? "replayed" : "generated";
  header.workload_seed = static_cast<std::int64_t>(traffic.seed);
  header.workload_spec = options.run.traffic.workload_spec;
  if (header.workload_spec.empty() && options.run.traffic.workload != "distribution") {
    header.workload_spec = "preset:" + *options.run.traffic.workload;
  }
  header.sessions_begin = traffic.source->begins_sessions();
  const EngineConfig& engine = setup.deployment.main().engine;
  header.server = {"plimsoll",          setup.model,
                   setup.layout.tp,     setup.max_num_seqs,
                   engine.block_size,   options.run.engine.gpu_memory_utilization,
                   engine.max_model_len};
  return header;
}

Result<void> finish(TimelineWriter& timeline, const Options& options) {
  if (timeline.cut() != kNever) {
    print_notes(options, {fmt::format("the timeline ends after {:.3f} simulated seconds, with {} "
                                      "events: see --timeline-limit",
                                      to_seconds(timeline.cut()), options.outputs.timeline_limit)});
  }
  return timeline.finish();
}

bool traces_decisions(const Options& options) {
  return options.outputs.trace_level == "decisions" || !options.outputs.decisions_path.empty();
}

std::vector<std::int64_t> blocks_by_instance(const Deployment& deployment) {
  std::vector<std::int64_t> blocks;
  for (const Pool& pool : deployment.pools) {
    if (!pool.answers()) continue;
    blocks.insert(blocks.end(), static_cast<std::size_t>(pool.num_instances),
                  pool.engine.total_kv_blocks);
  }
  return blocks;
}

}  // namespace

std::unique_ptr<TimelineWriter> open_timeline(const Options& options) {
  if (options.outputs.timeline.empty()) return nullptr;
  return std::make_unique<TimelineWriter>(options.outputs.timeline, options.outputs.timeline_limit);
}

std::unique_ptr<DecisionTrace> open_decisions(const Options& options, const Setup& setup) {
  if (!traces_decisions(options)) return nullptr;
  const Deployment& deployment = setup.deployment;
  DecisionTraceOptions wanted{.path = options.outputs.decisions_path,
                              .counterfactual_k = options.outputs.counterfactual_k,
                              .instances = static_cast<std::size_t>(deployment.num_instances()),
                              .total_kv_blocks = blocks_by_instance(deployment),
                              .router = deployment.router,
                              .admission_policy = deployment.admission,
                              .pd_decider = deployment.disaggregation.decider};
  return std::make_unique<DecisionTrace>(wanted);
}

std::vector<std::string> notes_on_decisions(const Options& options) {
  std::vector<std::string> notes;
  if (traces_decisions(options)) return notes;
  for (const auto& [flag, is_on] :
       {std::pair("--counterfactual-k", options.outputs.counterfactual_k > 0),
        std::pair("--summarize-trace", *options.outputs.summarize_trace)}) {
    if (is_on) {
      notes.push_back(std::string(flag) + " has no effect without --trace-level decisions");
    }
  }
  return notes;
}

Result<void> check_outputs(const Command& command) {
  const Options& options = command.options;
  if (!options.outputs.results_path.empty()) {
    TRY_TO(check_results_path(options.outputs.results_path));
  }
  if (options.outputs.timeline.empty() && options.outputs.timeline_limit.is_asked()) {
    return fail(ErrorKind::usage, "--timeline-limit needs --timeline");
  }
  if (options.outputs.trace_prefix.empty()) return {};
  return check_trace_v2_prefix(options.outputs.trace_prefix);
}

std::vector<SideFile> output_files(const Command& command, const Setup& setup,
                                   const Traffic& traffic, const RunRecord& record,
                                   const TraceRecorder& recorder, const GoodputTargets& targets,
                                   TimelineWriter* timeline) {
  const Options& options = command.options;
  const Labels& labels = traffic.source->labels();
  std::vector<SideFile> files;
  if (!options.outputs.results_path.empty()) {
    const bool all_rows = semantics_of(options.run).rows_of_requests_on_their_way;
    files.push_back([&, all_rows] {
      return write_results(options.outputs.results_path, record, labels, all_rows);
    });
  }
  if (timeline != nullptr) {
    files.push_back([&options, timeline] { return finish(*timeline, options); });
  }
  if (!options.outputs.trace_prefix.empty()) {
    TraceV2Header header = header_of_recording(command, setup, traffic);
    header.goodput_slo_targets = slo_targets(targets);
    files.push_back([&, header = std::move(header)] {
      return recorder.write(options.outputs.trace_prefix, header, record, labels);
    });
  }
  return files;
}

}  // namespace plimsoll
