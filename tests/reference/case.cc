#include "reference/case.h"

#include "cluster/scorer.h"

#include <fmt/format.h>

#include <ostream>

namespace plimsoll::reference {
namespace {

/// Writes `path = value;` lines for what differs from a default-made object.
class CodeWriter {
 public:
  void set(const std::string& path, std::int64_t value, std::int64_t standard) {
    if (value != standard) text_ += fmt::format("{} = {};\n", path, value);
  }
  void set(const std::string& path, double value, double standard) {
    if (value != standard) text_ += fmt::format("{} = {};\n", path, value);
  }
  void set(const std::string& path, Duration value, Duration standard) {
    if (value != standard) text_ += fmt::format("{} = nanoseconds({});\n", path, value.ns);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void set(const std::string& path, const char* type, Enum value, Enum standard) {
    if (value == standard) return;
    text_ += fmt::format("{} = {}{{{}}};\n", path, type, static_cast<int>(value));
  }
  void set(const std::string& path, const std::string& value, const std::string& standard) {
    if (value != standard) text_ += fmt::format("{} = \"{}\";\n", path, value);
  }
  void set(const std::string& path, const ChosenParameters& chosen) {
    for (const auto& [name, value] : chosen) {
      text_ += fmt::format("{}[\"{}\"] = {};\n", path, name, *value);
    }
  }
  void line(const std::string& text) { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void write_semantics(const Semantics& is, CodeWriter* code) {
  if (is.mode == SemanticsMode::blis) return;
  code->line("c.semantics = Semantics::vllm();");
  if (!is.asynchronous_scheduling) {
    code->line("c.semantics.asynchronous_scheduling = false;");
  }
}

void write_flow_control(const FlowControl& is, CodeWriter* code) {
  const FlowControl standard;
  const std::string name = "c.deployment.flow_control.";
  if (!is.enabled) return;
  code->line(name + "enabled = true;");
  code->set(name + "signal", *is.signal, *standard.signal);
  code->set(name + "order", *is.order, *standard.order);
  code->set(name + "fairness", *is.fairness, *standard.fairness);
  std::string targets;
  for (const Duration target : *is.slo_targets) {
    targets += fmt::format("nanoseconds({}), ", target.ns);
  }
  code->line(name + "slo_targets = {{" + targets + "}};");
  code->set(name + "usage_limit", is.usage_limit, standard.usage_limit);
  code->set(name + "tick_interval", is.tick_interval, standard.tick_interval);
  code->set(name + "max_depth", is.max_depth, standard.max_depth);
  code->set(name + "band_capacity", is.band_capacity, standard.band_capacity);
  if (is.queue_shedding) code->line(name + "queue_shedding = true;");
  code->set(name + "request_ttl", is.request_ttl, standard.request_ttl);
}

void write_pool(const Pool& is, std::size_t index, CodeWriter* code) {
  const Pool standard;
  const std::string name = fmt::format("c.deployment.pools[{}].", index);
  const EngineConfig& engine = is.engine;
  const EngineConfig& usual = standard.engine;
  if (is.role != standard.role) {
    code->line(fmt::format("{}role = PoolRole{{{}}};", name, static_cast<int>(is.role)));
  }
  code->set(name + "num_instances", std::int64_t{is.num_instances},
            std::int64_t{standard.num_instances});
  code->set(name + "kv.bytes_per_token", is.kv.bytes_per_token, standard.kv.bytes_per_token);
  code->set(name + "kv.bytes_per_request", is.kv.bytes_per_request, standard.kv.bytes_per_request);
  for (const WindowedKv& layers : is.kv.windowed) {
    code->line(fmt::format("{}kv.windowed.push_back({{{}, {}}});", name, layers.window,
                           layers.bytes_per_token));
  }
  code->set(name + "speed", is.speed, standard.speed);
  code->set(name + "ranks", is.ranks, standard.ranks);
  code->set(name + "gpus", is.gpus, standard.gpus);
  if (is.link_gb_per_s) code->line(fmt::format("{}link_gb_per_s = {};", name, *is.link_gb_per_s));
  const std::string of = name + "engine.";
  code->set(of + "batching_rule", engine.batching_rule, usual.batching_rule);
  code->set(of + "max_num_seqs", engine.max_num_seqs, usual.max_num_seqs);
  code->set(of + "max_num_batched_tokens", engine.max_num_batched_tokens,
            usual.max_num_batched_tokens);
  code->set(of + "long_prefill_token_threshold", engine.long_prefill_token_threshold,
            usual.long_prefill_token_threshold);
  code->set(of + "prompt_wait_steps", engine.prompt_wait_steps, usual.prompt_wait_steps);
  code->set(of + "max_model_len", engine.max_model_len, usual.max_model_len);
  code->set(of + "total_kv_blocks", engine.total_kv_blocks, usual.total_kv_blocks);
  code->set(of + "block_size", engine.block_size, usual.block_size);
  code->set(of + "scheduler", engine.scheduler, usual.scheduler);
  code->set(of + "preemption", engine.preemption, usual.preemption);
  code->set(of + "parameters", engine.parameters);
  if (!engine.prefix_caching) code->line(of + "prefix_caching = false;");
}

void write_disaggregation(const Disaggregation& is, CodeWriter* code) {
  const Disaggregation standard;
  const std::string name = "c.deployment.disaggregation.";
  code->set(name + "decider", is.decider, standard.decider);
  if (is.first_token_by_prefill) code->line(name + "first_token_by_prefill = true;");
  const KvTransfer& transfer = is.transfer;
  code->set(name + "transfer.gb_per_s", transfer.gb_per_s, standard.transfer.gb_per_s);
  code->set(name + "transfer.network_gb_per_s", transfer.network_gb_per_s,
            standard.transfer.network_gb_per_s);
  code->set(name + "transfer.latency", transfer.latency, standard.transfer.latency);
  if (!transfer.shared) code->line(name + "transfer.shared = false;");
  if (transfer.layerwise) code->line(name + "transfer.layerwise = true;");
  code->set(name + "transfer.layers", transfer.layers, standard.transfer.layers);
  for (const auto& [what, scorers] : {std::pair("prefill_scorers", &is.prefill_scorers),
                                      std::pair("decode_scorers", &is.decode_scorers)}) {
    if (scorers->empty()) continue;
    code->line(fmt::format("{}{} = *parse_scorers(\"{}\");", name, what, scorers_text(*scorers)));
  }
}

void write_deployment(const Deployment& is, CodeWriter* code) {
  const Deployment standard;
  if (is.pools.size() > 1) {
    code->line(fmt::format("c.deployment.pools.resize({});", is.pools.size()));
  }
  for (std::size_t i = 0; i < is.pools.size(); ++i) write_pool(is.pools[i], i, code);
  if (is.splits()) write_disaggregation(is.disaggregation, code);
  code->set("c.deployment.admission", is.admission, standard.admission);
  code->set("c.deployment.parameters", is.parameters);
  write_flow_control(is.flow_control, code);
  code->set("c.deployment.router", is.router, standard.router);
  if (!is.scorers.empty()) {
    code->line(
        fmt::format("c.deployment.scorers = *parse_scorers(\"{}\");", scorers_text(is.scorers)));
  }
  code->set("c.deployment.admission_latency", is.admission_latency, standard.admission_latency);
  code->set("c.deployment.routing_latency", is.routing_latency, standard.routing_latency);
  code->set("c.deployment.snapshot_refresh_interval", is.snapshot_refresh_interval,
            standard.snapshot_refresh_interval);
  code->set("c.deployment.cache_signal_delay", is.cache_signal_delay, standard.cache_signal_delay);
}

void write_model(const LinearModel& is, CodeWriter* code) {
  const LinearModel standard;
  code->set("c.model.step", is.step, standard.step);
  code->set("c.model.per_prefill_token", is.per_prefill_token, standard.per_prefill_token);
  code->set("c.model.per_decode_request", is.per_decode_request, standard.per_decode_request);
  code->set("c.model.per_prefill_request", is.per_prefill_request, standard.per_prefill_request);
  code->set("c.model.per_prefill_context", is.per_prefill_context, standard.per_prefill_context);
  code->set("c.model.per_prefill_token_context", is.per_prefill_token_context,
            standard.per_prefill_token_context);
  code->set("c.model.per_prefill_token_squared", is.per_prefill_token_squared,
            standard.per_prefill_token_squared);
  code->set("c.model.per_prefill_token_input", is.per_prefill_token_input,
            standard.per_prefill_token_input);
  code->set("c.model.per_token_of_ranks", is.per_token_of_ranks, standard.per_token_of_ranks);
  code->set("c.model.per_decode_context", is.per_decode_context, standard.per_decode_context);
  code->set("c.model.queueing", is.queueing, standard.queueing);
  code->set("c.model.queueing_per_input_token", is.queueing_per_input_token,
            standard.queueing_per_input_token);
  code->set("c.model.output_token", is.output_token, standard.output_token);
  code->set("c.model.post_decode", is.post_decode, standard.post_decode);
}

/// One line per request, in the order of the members of CaseRequest.
void write_requests(const std::vector<CaseRequest>& requests, CodeWriter* code) {
  for (const CaseRequest& is : requests) {
    std::string prefix;
    for (const PrefixSegment& segment : is.prefix) {
      prefix +=
          fmt::format("{}{{{}, {}}}", prefix.empty() ? "" : ", ", segment.content, segment.tokens);
    }
    code->line(fmt::format(
        "c.requests.push_back({{{}, {}, {}, {}, SloClass{{{}}}, {}, {{{}}}, {}, {}}});",
        is.arrival_us, is.input_tokens, is.output_tokens, is.max_output_tokens,
        static_cast<int>(is.slo_class), is.deadline_us, prefix, is.other_model, is.session));
  }
}

}  // namespace

std::string to_code(const Case& scenario) {
  CodeWriter code;
  code.line("Case c;");
  write_semantics(scenario.semantics, &code);
  write_deployment(scenario.deployment, &code);
  write_model(scenario.model, &code);
  code.set("c.horizon_us", scenario.horizon_us, std::int64_t{-1});
  code.set("c.drive", "Drive", scenario.drive, Drive::at_once);
  code.set("c.drive_step_us", scenario.drive_step_us, std::int64_t{1000});
  code.set("c.threads", scenario.threads, std::int64_t{1});
  write_requests(scenario.requests, &code);
  return code.text();
}

std::ostream& operator<<(std::ostream& out, const Case& scenario) {
  return out << to_code(scenario);
}

}  // namespace plimsoll::reference
