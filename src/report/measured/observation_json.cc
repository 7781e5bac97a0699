#include "base/json.h"
#include "metrics/figures.h"
#include "report/measured/observation.h"
#include "report/run/json.h"

namespace plimsoll {
namespace {

// What nobody sees from outside a server.
void leave_out_what_is_inside_the_server(Json* out) {
  for (const GroupFigure& row : kGroupFigures) {
    if (row.known_to != KnownTo::server) continue;
    for (const std::string& key : keys_of(row)) out->erase(key);
  }
  for (const char* key : {"instance_id", "still_arriving", "rejected_admission", "rejected_routing",
                          "shed_requests", "gateway", "fairness", "bottleneck", "instances"}) {
    out->erase(key);
  }
}

Json failures_json(const std::vector<FailureCount>& failures) {
  Json out = Json::array();
  for (const FailureCount& f : failures) {
    out.push_back({{"reason", f.reason}, {"requests", f.requests}, {"example", f.example}});
  }
  return out;
}

Json lengths_json(const LengthCheck& lengths) {
  return {{"asked_mean", lengths.asked}, {"had_mean", lengths.had}};
}

Json lateness_json(const ObservationFigures& f) {
  return {{"mean_ms", f.lateness.mean_ms}, {"p50_ms", f.lateness.p50_ms},
          {"p90_ms", f.lateness.p90_ms},   {"p95_ms", f.lateness.p95_ms},
          {"p99_ms", f.lateness.p99_ms},   {"max_ms", f.latest_ms}};
}

Json observed_json(const ObservationReport& r) {
  const ObservationFigures& f = r.figures;
  const Observation& o = *r.observation;
  Json out = {{"server", r.server},
              {"model", r.model},
              {"sent", f.sent},
              {"answered", f.answered},
              {"given_up", f.given_up},
              {"retries", f.retries},
              {"ended_sessions", o.ended_sessions},
              {"interrupted", o.interrupted},
              {"failures", failures_json(f.failures)},
              {"prompt_tokens", lengths_json(f.prompt)},
              {"output_tokens", lengths_json(f.output)},
              {"tokens_per_event", f.tokens_per_chunk},
              {"generator",
               {{"late", f.generator_was_late},
                {"lateness", lateness_json(f)},
                {"held_back", o.held_back},
                {"longest_turn_ms", to_ms(o.longest_turn)},
                {"cpu_s", o.cpu_s}}},
              {"files", r.files}};
  if (r.prefix_hit_rate) out["prefix_hit_rate"] = *r.prefix_hit_rate;
  return out;
}

}  // namespace

std::string observation_json(const ObservationReport& r) {
  Json out = summary_object(r.summary, r.config);
  leave_out_what_is_inside_the_server(&out);
  out["observed"] = observed_json(r);
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
