#include "report/measured/server_file.h"

#include "base/json.h"
#include "report/answer/config_json.h"

namespace plimsoll {
namespace {

Json metrics_json(const std::vector<MetricSample>& samples) {
  Json out = Json::object();
  for (const auto& [name, value] : samples) out[name] = value;
  return out;
}

}  // namespace

std::string server_file_text(const ServerRecord& r) {
  const bool exact = r.request.limits_length && r.facts.takes_exact_length;
  Json out = {{"recorded_at", r.recorded_at},
              {"server_url", r.request.url},
              {"model", r.request.model},
              {"path", path_of(r.request.format)},
              {"streaming", r.request.stream},
              {"exact_output_length", exact},
              {"counts_tokens", r.facts.counts_tokens},
              {"tokens_per_word", r.facts.scale.per_word},
              {"tokens_around_a_prompt", r.facts.scale.overhead}};
  if (r.facts.model && r.facts.model->max_model_len > 0) {
    out["max_model_len"] = r.facts.model->max_model_len;
  }
  if (r.prefix_hit_rate) out["prefix_hit_rate"] = *r.prefix_hit_rate;
  out["load"] = config_json(r.load);
  out["metrics_before"] = metrics_json(r.facts.metrics);
  out["metrics_after"] = metrics_json(r.metrics_after);
  return out.dump(2) + "\n";
}

bool is_server_file(std::string_view text) {
  return text.starts_with("{\n  \"recorded_at\": ") &&
         text.find("\n  \"tokens_around_a_prompt\": ") != std::string_view::npos;
}

}  // namespace plimsoll
