#include "workload/workload_spec.h"

#include <string_view>

#include "base/text.h"
#include "spec/yaml_writer.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

std::int64_t us(Duration duration) { return duration.ns / microseconds(1).ns; }
std::int64_t us(Time time) { return us(time - Time{}); }

/// Entries of a map in flow style.
class Entries {
 public:
  void add(std::string_view key, const std::string& value) {
    all_.push_back(std::string(key) + ": " + value);
  }
  void add(std::string_view key, double value) { add(key, shortest(value)); }
  void add(std::string_view key, std::int64_t value) { add(key, std::to_string(value)); }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

void add_params(const ConstantLength& d, Entries* out) { out->add("value", d.tokens); }

void add_params(const GaussianLength& d, Entries* out) {
  out->add("mean", d.mean);
  out->add("std_dev", d.stdev);
  out->add("min", d.min);
  out->add("max", d.max);
}

template <class Distribution>
void add_limits(const Distribution& d, Entries* out) {
  const Distribution defaults;
  if (d.min != defaults.min) out->add("min", d.min);
  if (d.max != defaults.max) out->add("max", d.max);
}

void add_params(const ExponentialLength& d, Entries* out) {
  out->add("mean", d.mean);
  add_limits(d, out);
}

void add_params(const LognormalLength& d, Entries* out) {
  out->add("mu", d.mu);
  out->add("sigma", d.sigma);
  add_limits(d, out);
}

void add_params(const ParetoLognormalLength& d, Entries* out) {
  out->add("alpha", d.alpha);
  out->add("xm", d.xm);
  out->add("mu", d.mu);
  out->add("sigma", d.sigma);
  out->add("mix_weight", d.mix_weight);
}

void add_params(const EmpiricalLength& d, Entries* out) {
  for (const auto& [tokens, weight] : d.weights) out->add(std::to_string(tokens), weight);
}

void write_length(std::string_view key, const LengthDistribution& length, YamlWriter* out) {
  const std::string type = "{type: " + name_of(length_distributions(), length.index());
  const auto* empirical = std::get_if<EmpiricalLength>(&length);
  if (empirical != nullptr && !empirical->file.empty()) {
    out->flow(key, type + ", file: " + yaml_text(empirical->file) + "}", {}, "");
    return;
  }
  Entries entries;
  std::visit([&](const auto& d) { add_params(d, &entries); }, length);
  out->flow(key, type + ", params: {", entries.all(), "}}");
}

void write_length(std::string_view key, const std::optional<LengthDistribution>& length,
                  YamlWriter* out) {
  if (length) write_length(key, *length, out);
}

void write_arrival(const ArrivalSpec& arrival, YamlWriter* out) {
  Entries entries;
  entries.add("process", name_of(arrival_processes(), arrival.process));
  if (arrival.cv != 1) entries.add("cv", arrival.cv);
  if (arrival.shape != 0) entries.add("shape", arrival.shape);
  if (arrival.scale_us != 0) entries.add("scale", arrival.scale_us);
  out->flow("arrival", "{", entries.all(), "}");
}

void write_modality(const std::string& name, const std::optional<ModalitySpec>& modality,
                    YamlWriter* out) {
  if (!modality) return;
  write_length(name + "_distribution", modality->tokens, out);
  write_length(name + "_count_distribution", modality->count, out);
}

void write_multimodal(const MultimodalSpec& multimodal, YamlWriter* out) {
  out->open("multimodal");
  write_length("text_distribution", multimodal.text, out);
  write_modality("image", multimodal.image, out);
  write_modality("audio", multimodal.audio, out);
  write_modality("video", multimodal.video, out);
  out->close();
}

// An empty map would read as nothing: reasoning always has one of its parts.
void write_reasoning(const ReasoningSpec& reasoning, YamlWriter* out) {
  if (!reasoning.reason_ratio && !reasoning.multi_turn) return;
  out->open("reasoning");
  write_length("reason_ratio_distribution", reasoning.reason_ratio, out);
  if (const auto& turns = reasoning.multi_turn) {
    Entries entries;
    entries.add("max_rounds", turns->max_rounds);
    entries.add("think_time_us", us(turns->think_time));
    if (turns->accumulate) entries.add("context_growth", std::string("accumulate"));
    if (turns->single_session) entries.add("single_session", std::string("true"));
    out->flow("multi_turn", "{", entries.all(), "}");
  }
  out->close();
}

void write_windows(const std::vector<WindowSpec>& windows, YamlWriter* out) {
  out->open("lifecycle");
  out->open("windows");
  for (const WindowSpec& window : windows) {
    out->begin_item();
    out->integer("start_us", us(window.begin));
    out->integer("end_us", us(window.end));
    if (window.trace_rate) out->number("trace_rate", *window.trace_rate);
    if (window.arrival) write_arrival(*window.arrival, out);
    write_length("input_distribution", window.input, out);
    write_length("output_distribution", window.output, out);
    out->end_item();
  }
  out->close();
  out->close();
}

void write_names(const ClientSpec& client, YamlWriter* out) {
  const auto text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) out->text(key, value);
  };
  out->text("id", client.id);
  text("part", client.part);
  text("tenant_id", client.tenant);
  text("slo_class", name_of(slo_classes(), client.slo_class));
  text("model", client.model);
  text("adapter", client.adapter);
  text("prefix_group", client.prefix_group);
  if (client.prefix_tokens > 0) out->integer("prefix_length", client.prefix_tokens);
}

void write_service(const ClientSpec& client, YamlWriter* out) {
  if (client.timeout)
    out->integer("timeout", *client.timeout == kNoDuration ? 0 : us(*client.timeout));
  if (client.slo_target) out->integer("slo_target_us", us(*client.slo_target));
  if (client.closed_loop) out->flag("closed_loop", *client.closed_loop);
  if (client.streaming) out->flag("streaming", true);
  if (client.network) {
    Entries entries;
    entries.add("rtt_ms", client.network->rtt_ms);
    entries.add("bandwidth_mbps", client.network->bandwidth_mbps);
    out->flow("network", "{", entries.all(), "}");
  }
}

// What clients and cohorts have in common.
void write_common(const ClientSpec& client, YamlWriter* out) {
  write_names(client, out);
  if (client.concurrency > 0) {
    out->integer("concurrency", client.concurrency);
    if (client.think_time > Duration{}) out->integer("think_time_us", us(client.think_time));
  } else {
    out->number("rate_fraction", client.rate_fraction);
    write_arrival(client.arrival, out);
  }
  write_length("input_distribution", client.input, out);
  write_length("output_distribution", client.output, out);
  if (client.multimodal) write_multimodal(*client.multimodal, out);
  if (client.reasoning) write_reasoning(*client.reasoning, out);
  write_service(client, out);
}

void write_client(const ClientSpec& client, YamlWriter* out) {
  out->begin_item();
  write_common(client, out);
  if (!client.windows.empty()) write_windows(client.windows, out);
  out->end_item();
}

void write_cohort(const CohortSpec& cohort, YamlWriter* out) {
  out->begin_item();
  write_common(cohort.member, out);
  out->integer("population", cohort.population);
  if (cohort.prefix_per_member) out->text("prefix_sharing", "per_member");
  if (cohort.diurnal) {
    Entries entries;
    entries.add("peak_hour", cohort.diurnal->peak_hour);
    entries.add("peak_to_trough_ratio", cohort.diurnal->peak_to_trough_ratio);
    out->flow("diurnal", "{", entries.all(), "}");
  }
  if (cohort.spike) {
    Entries entries;
    entries.add("start_time_us", us(cohort.spike->begin));
    entries.add("duration_us", us(cohort.spike->duration));
    if (cohort.spike->trace_rate) entries.add("trace_rate", *cohort.spike->trace_rate);
    out->flow("spike", "{", entries.all(), "}");
  }
  if (cohort.drain) {
    Entries entries;
    entries.add("start_time_us", us(cohort.drain->begin));
    entries.add("ramp_duration_us", us(cohort.drain->ramp));
    out->flow("drain", "{", entries.all(), "}");
  }
  out->end_item();
}

void write_servegen(const ServegenSpec& servegen, YamlWriter* out) {
  out->open("servegen_data");
  out->text("path", servegen.path);
  out->integer("window_duration_secs", servegen.window_duration_s);
  out->integer("drain_timeout_secs", servegen.drain_timeout_s);
  out->close();
}

void write_inference_perf(const InferencePerfSpec& perf, YamlWriter* out) {
  out->open("inference_perf");
  out->open("stages");
  for (const InferencePerfSpec::Stage& stage : perf.stages) {
    out->begin_item();
    out->number("rate", stage.rate_rps);
    out->number("duration", stage.duration_s);
    out->end_item();
  }
  out->close();
  out->open("shared_prefix");
  out->integer("num_unique_system_prompts", perf.unique_system_prompts);
  out->integer("num_users_per_system_prompt", perf.users_per_system_prompt);
  out->integer("system_prompt_len", perf.system_prompt_tokens);
  out->integer("question_len", perf.question_tokens);
  out->integer("output_len", perf.output_tokens);
  if (perf.multi_turn_chat) out->flag("enable_multi_turn_chat", true);
  out->close();
  out->close();
}

void write_parts(const std::vector<PartSpec>& parts, YamlWriter* out) {
  out->open("parts");
  for (const PartSpec& part : parts) {
    Entries entries;
    entries.add("aggregate_rate", part.aggregate_rate_rps);
    if (part.horizon != kNever) entries.add("horizon", us(part.horizon));
    out->flow(part.name, "{", entries.all(), "}");
  }
  out->close();
}

}  // namespace

std::string workload_spec_yaml(const WorkloadSpec& spec) {
  YamlWriter out;
  out.flow("version", "\"2\"", {}, "");
  if (spec.seed) out.integer("seed", static_cast<std::int64_t>(*spec.seed));
  if (!spec.category.empty()) out.text("category", spec.category);
  if (spec.aggregate_rate_rps > 0) out.number("aggregate_rate", spec.aggregate_rate_rps);
  if (spec.num_requests != kUnlimited) out.integer("num_requests", spec.num_requests);
  if (spec.horizon != kNever) out.integer("horizon", us(spec.horizon));
  if (!spec.parts.empty()) write_parts(spec.parts, &out);
  write_slo_targets(spec.goodput_slo_targets, &out);
  if (spec.servegen) write_servegen(*spec.servegen, &out);
  if (spec.inference_perf) write_inference_perf(*spec.inference_perf, &out);
  if (!spec.clients.empty()) {
    out.open("clients");
    for (const ClientSpec& client : spec.clients) write_client(client, &out);
    out.close();
  }
  if (!spec.cohorts.empty()) {
    out.open("cohorts");
    for (const CohortSpec& cohort : spec.cohorts) write_cohort(cohort, &out);
    out.close();
  }
  return out.take();
}

}  // namespace plimsoll
