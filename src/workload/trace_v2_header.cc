#include "spec/spec_file.h"
#include "workload/trace_v2.h"

namespace plimsoll {
namespace {

TraceV2Server read_server(SpecMap map) {
  TraceV2Server server{.type = map.optional_text("type").value_or(""),
                       .model = map.optional_text("model").value_or("")};
  server.tensor_parallel = map.optional_integer("tensor_parallel", {0}).value_or(0);
  server.max_num_seqs = map.optional_integer("max_num_seqs", {0}).value_or(0);
  server.block_size = map.optional_integer("block_size", {0}).value_or(0);
  server.gpu_memory_utilization = map.optional_number("gpu_memory_utilization", {0, 1}).value_or(0);
  server.max_model_len = map.optional_integer("max_model_len", {0}).value_or(0);
  return server;
}

void check_observed_kv(SpecMap observed, bool offload_config) {
  const auto source = observed.optional_choice("source", {"tiered", "gpu-prefix-cache-fallback"});
  if (source == "tiered" && !offload_config) {
    observed.error("source", "a tiered hit rate was observed, but the header has no kv_offload",
                   "add the offload configuration of the observed server");
  }
  observed.optional_number("hit_rate", {0, 1});
  for (const char* count : {"block_hits", "block_queries", "read_time_total", "write_time_total"}) {
    observed.optional_number(count, kNonNegative);
  }
  observed.optional_text("vllm_commit");
}

TraceV2Header read_header(SpecMap top) {
  TraceV2Header header;
  top.optional_integer("trace_version");  // any: columns are found by name
  top.optional_choice("time_unit", {"microseconds", "us"});
  top.optional_text("created_at");
  header.mode = top.optional_choice("mode", {"real", "generated", "replayed"}).value_or("");
  header.warm_up_requests = top.optional_integer("warm_up_requests", {0}).value_or(0);
  header.workload_seed = top.optional_integer("workload_seed");
  header.workload_spec = top.optional_text("workload_spec").value_or("");
  header.context_accumulates =
      top.optional_choice("session_context_growth", {"", "accumulate"}) == "accumulate";
  header.sessions_begin = top.optional_flag("sessions_begin").value_or(false);
  const bool offload_config = top.has("kv_offload");
  if (top.has_map("server")) header.server = read_server(top.map("server"));
  if (auto network = top.optional_map("network")) {
    network->optional_number("measured_rtt_ms", kNonNegative);
  }
  if (auto targets = top.optional_map("goodput_slo_targets")) {
    header.goodput_slo_targets = read_slo_targets(*targets);
  }
  if (auto observed = top.optional_map("observed_kv_metrics")) {
    check_observed_kv(*observed, offload_config);
  }
  return header;
}

}  // namespace

Result<TraceV2Header> parse_trace_v2_header(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file));
  TraceV2Header header = read_header(spec.top());
  return spec.finish(std::move(header));
}

}  // namespace plimsoll
