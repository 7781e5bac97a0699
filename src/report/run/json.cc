#include "report/run/json.h"

#include "metrics/figures.h"
#include "report/answer/json.h"
#include "report/answer/reasons.h"
#include "report/run/terminal.h"

namespace plimsoll {
namespace {

constexpr int kRunSchema = 1;

void put_latency(const std::string& name, const LatencySummary& latency, Json* out) {
  for (const Statistic& s : kStatistics) {
    (*out)[name + "_" + std::string(s.name) + "_ms"] = latency.*s.member;
  }
}

void put_figure(const GroupFigure& row, const GroupSummary& g, Json* out) {
  const std::string key(row.key);
  std::visit(
      [&]<class M>(M member) {
        if constexpr (std::is_same_v<M, Latency>) {
          put_latency(key, g.*member, out);
        } else if constexpr (std::is_same_v<M, EfficiencyShare>) {
          if (g.efficiency) (*out)[key] = (*g.efficiency).*member;
        } else if constexpr (std::is_same_v<M, Wording>) {
          if (const std::string_view word = member(g); !word.empty()) (*out)[key] = word;
        } else {
          (*out)[key] = g.*member;
        }
      },
      row.member);
}

void put_group(const GroupSummary& g, Json* out) {
  (*out)["instance_id"] = g.name;
  for (const GroupFigure& row : kGroupFigures) put_figure(row, g, out);
}

Json steady_state_json(const SteadyState& s) {
  return {{"verdict", name_of(s.verdict)},
          {"reason", reason_text(s)},
          {"warmup_s", s.warmup_s},
          {"backlog_growth_rps", s.backlog_growth_rps},
          {"enough_requests", s.enough_requests}};
}

// An end without bound is null.
Json ends_json(const MetricInterval& i) { return Json::array({i.low, i.high}); }

Json model_error_json(const ModelBand& band) {
  return {{"regime", std::string(name_of(band.error.regime))},
          {"step", band.error.step},
          {"ttft", band.error.ttft},
          {"ttft_p99", band.error.ttft_tail},
          {"verdict_with_slow_steps", name_of(band.slow)}};
}

Json bottleneck_json(const Bottleneck& b, bool splits) {
  Json out = {{"limit", name_of(b.limit)},        {"resource", name_of(b.resource)},
              {"reason", reason_text(b)},         {"lever", lever_text(b)},
              {"gateway_share", b.gateway_share}, {"queue_share", b.queue_share},
              {"prefill_share", b.prefill_share}, {"prefill_stall_share", b.prefill_stall_share},
              {"decode_share", b.decode_share},   {"preemption_share", b.preemption_share}};
  if (splits) {
    out["decode_wait_share"] = b.decode_wait_share;
    out["transfer_share"] = b.transfer_share;
    out["decode_queue_share"] = b.decode_queue_share;
  }
  return out;
}

Json definitions_json(const MetricDefinitions& d) {
  constexpr const char* kItlOver[] = {"gaps", "requests", "requests_by_tokens"};
  return {{"name", d.name},
          {"itl_over", kItlOver[static_cast<int>(d.itl)]},
          {"tpot_counts_first_token", d.tpot_counts_first_token},
          {"ttft_of_completed", d.ttft_of_completed},
          {"rates_from_first_arrival", d.rates_from_first_arrival}};
}

Json warmup_json(const Warmup& w) {
  return {{"excluded_requests", w.excluded}, {"until_s", w.until_s}, {"reason", reason_text(w)}};
}

Json gateway_json(const GatewayRecord& g) {
  const auto dispatched = static_cast<double>(g.dispatched);
  return {{"entered_requests", g.entered},
          {"dispatched_requests", g.dispatched},
          {"deferred_requests", g.deferred},
          {"still_queued", g.still_queued},
          {"rejected_requests", g.rejected},
          {"shed_requests", g.shed},
          {"expired_requests", g.expired},
          {"evicted_requests", g.evicted},
          {"wait_mean_ms", g.dispatched > 0 ? to_ms(g.total_wait) / dispatched : 0},
          {"wait_max_ms", to_ms(g.longest_wait)}};
}

Json traffic_group_json(const TrafficGroup& g) {
  Json out = {{"arrived_requests", g.arrived},
              {"completed_requests", g.completed},
              {"length_capped_requests", g.length_capped},
              {"timed_out_requests", g.timed_out},
              {"dropped_unservable", g.dropped},
              {"rejected_requests", g.rejected},
              {"shed_requests", g.shed},
              {"unfinished_requests", g.unfinished},
              {"total_input_tokens", g.input_tokens},
              {"total_output_tokens", g.output_tokens},
              {"responses_per_sec", g.responses_per_sec},
              {"tokens_per_sec", g.tokens_per_sec}};
  put_latency("e2e", g.e2e, &out);
  put_latency("ttft", g.ttft, &out);
  out["itl_mean_ms"] = g.itl_mean_ms;
  put_latency("tpot", g.tpot, &out);
  put_latency("scheduling_delay", g.scheduling_delay, &out);
  return out;
}

void put_goodput(const GoodputFigures& f, Json* out) {
  (*out)["slo_attainment"] = f.attainment;
  (*out)["goodput_rps"] = f.goodput_rps;
}

// Adds to the figures of each class, which may be absent: then nothing of it arrived.
void put_class_goodput(const Goodput& goodput, Json* classes) {
  for (const ClassGoodput& c : goodput.classes) {
    Json& out = (*classes)[c.name];
    put_goodput(c.figures, &out);
    out["count"] = c.figures.arrived;
    Json by_dimension = Json::object();
    Json limits = Json::object();
    const auto put = [&](const char* name, const std::optional<double>& share, Duration limit) {
      if (!share) return;
      by_dimension[name] = *share;
      limits[std::string(name) + "_ms"] = to_ms(limit);
    };
    put("ttft", c.ttft_attainment, c.limits.ttft);
    put("itl", c.itl_attainment, c.limits.itl);
    put("e2e", c.e2e_attainment, c.limits.e2e);
    out["slo_attainment_by_dim"] = by_dimension;
    out["slo_limits"] = limits;
  }
}

Json fairness_json(const Summary& s) {
  Json out = {{"priority_inversions", s.priority_inversions.pairs},
              {"overtaken_requests", s.priority_inversions.requests},
              {"hol_blocking_events", s.blocked_instances}};
  if (s.tenant_fairness) {
    out["jain_index_tokens"] = s.tenant_fairness->jain_tokens;
    out["jain_index_requests"] = s.tenant_fairness->jain_requests;
    out["jain_index_service"] = s.tenant_fairness->jain_service;
  }
  return out;
}

Json fitness_json(const Fitness& fitness) {
  Json out = {{"score", fitness.score}, {"components", Json::object()}};
  for (const FitnessComponent& c : fitness.components) {
    out["components"][c.key] = {{"weight", c.weight},
                                {"value", c.measured ? Json(c.value) : Json(nullptr)},
                                {c.latency ? "reference_ms" : "reference_per_sec", c.reference}};
  }
  return out;
}

Json traffic_groups_json(const std::vector<TrafficGroup>& groups) {
  Json out = Json::object();
  for (const TrafficGroup& g : groups) out[g.name] = traffic_group_json(g);
  return out;
}

Json session_figures_json(const SessionFigures& s, const Users& users) {
  Json out = {{"sessions", s.sessions},
              {"rounds", s.rounds},
              {"cold_rounds", s.cold_rounds},
              {"warm_rounds", s.warm_rounds}};
  put_latency("ttft_cold", s.ttft_cold, &out);
  put_latency("ttft_warm", s.ttft_warm, &out);
  out["timed_sessions"] = s.timed_sessions;
  put_latency("duration", s.duration, &out);
  if (users.users > 0) {
    out["users"] = users.users;
    out["users_gave_up"] = users.gave_up;
  }
  return out;
}

Json balance_json(const Balance& b) {
  return {{"busiest_instance", "instance_" + std::to_string(b.busiest)},
          {"busiest_share", b.busiest_share},
          {"max_over_mean", b.max_over_mean},
          {"jain_index", b.jain},
          {"concentrated", b.concentrated}};
}

Json extent_json(const Extent& extent) { return {{"mean", extent.mean}, {"max", extent.max}}; }

Json decisions_json(const DecisionSummary& d) {
  Json targets = Json::object();
  for (std::size_t i = 0; i < d.targets.size(); ++i) {
    targets["instance_" + std::to_string(i)] = d.targets[i];
  }
  Json out = {{"admission_decisions", d.admitted + d.rejected},
              {"admitted", d.admitted},
              {"rejected", d.rejected},
              {"routing_decisions", d.routed() + d.no_target},
              {"without_target", d.no_target},
              {"unique_targets", d.unique_targets()},
              {"targets", targets},
              {"counterfactual_k", d.counterfactual_k}};
  if (d.prompts_apart + d.prompts_kept > 0) {
    out["prompts_apart"] = d.prompts_apart;
    out["prompts_kept"] = d.prompts_kept;
  }
  if (d.regret) out["regret"] = extent_json(*d.regret);
  if (d.excess_load) out["excess_load"] = extent_json(*d.excess_load);
  return out;
}

void put_summary(const Summary& summary, const RunConfig& config, Json* to) {
  Json& out = *to;
  put_group(summary.cluster, &out);
  out["schema_version"] = kRunSchema;
  out["seed"] = config.seed;
  out["offered_rps"] = summary.offered_rps;
  out["arrived_requests"] = summary.arrived;
  out["still_arriving"] = summary.still_arriving;
  out["first_tokens_alone"] = summary.first_tokens_alone;
  out["rejected_admission"] = summary.rejected_admission;
  out["rejected_routing"] = summary.rejected_routing;
  out["shed_requests"] = summary.shed;
  out["gateway"] = gateway_json(summary.gateway);
  out["steady_state"] = steady_state_json(summary.steady_state);
  out["intervals"] = intervals_json(summary.intervals, summary.model_band);
  if (summary.model_band) out["model_error"] = model_error_json(*summary.model_band);
  out["metric_definitions"] = definitions_json(summary.definitions);
  out["warmup"] = warmup_json(summary.warmup);
  if (!summary.saturation.empty()) {
    Json& labels = out["saturation"] = Json::object();
    for (const SaturationLabel& l : summary.saturation) labels[l.detector] = level_name(l.level);
  }
  if (summary.goodput) put_goodput(summary.goodput->all, &out);
  if (summary.fitness) out["fitness"] = fitness_json(*summary.fitness);
  out["fairness"] = fairness_json(summary);
  if (!summary.classes.empty()) out["per_class"] = traffic_groups_json(summary.classes);
  if (summary.goodput) put_class_goodput(*summary.goodput, &out["per_class"]);
  if (!summary.tenants.empty()) out["per_tenant"] = traffic_groups_json(summary.tenants);
  if (summary.sessions.sessions > 0)
    out["sessions"] = session_figures_json(summary.sessions, summary.users);
  if (summary.instances.size() > 1) out["balance"] = balance_json(summary.balance);
  const Pools& pools = summary.pools;
  out["bottleneck"] = bottleneck_json(summary.bottleneck, pools.split);
  put_pools(pools, &out);
  if (summary.decisions) out["decision_trace"] = decisions_json(*summary.decisions);
  out["config"] = config_json(config.entries);
  Json& instances = out["instances"] = Json::array();
  for (const GroupSummary& instance : summary.instances) {
    put_group(instance, &instances.push_back(Json::object()));
  }
}

}  // namespace

Json config_json(const std::vector<ConfigEntry>& entries) {
  Json out = Json::object();
  for (const ConfigEntry& entry : entries) {
    const Json value = std::visit([](const auto& v) { return Json(v); }, entry.value);
    out[entry.key] = {{"value", value}, {"origin", entry.origin}};
    if (entry.interval)
      out[entry.key]["interval"] = {entry.interval->first, entry.interval->second};
  }
  return out;
}

Json intervals_json(const std::vector<MetricInterval>& sampled,
                    const std::optional<ModelBand>& band) {
  Json out = Json::object();
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    const MetricInterval& whole = band ? band->combined[i] : sampled[i];
    const Json model = band ? ends_json(band->model[i]) : Json(nullptr);
    out[sampled[i].metric] = {{"low", whole.low},
                              {"high", whole.high},
                              {"level", kIntervalLevel},
                              {"parts", {{"sampling", ends_json(sampled[i])}, {"model", model}}}};
  }
  return out;
}

Json summary_object(const Summary& summary, const RunConfig& config) {
  Json out;
  put_summary(summary, config, &out);
  return out;
}

std::string summary_json(const Summary& summary, const RunConfig& config) {
  Json out = {{"decision", decision_json(decision_of(summary, config))}};
  put_summary(summary, config, &out);
  // Paths given on the command line need not be UTF-8.
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
