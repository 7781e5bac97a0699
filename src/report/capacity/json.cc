#include <cmath>
#include <optional>

#include "base/json.h"
#include "planner/headroom.h"
#include "report/answer/json.h"
#include "report/answer/reasons.h"
#include "report/capacity/capacity.h"
#include "report/run/json.h"

namespace plimsoll {
namespace {

constexpr int kCapacitySchema = 1;

Json slos_json(const CapacityReport& report, const LoadProbe& test) {
  Json out = Json::array();
  for (std::size_t i = 0; i < report.slos.size(); ++i) {
    const SloFigure& f = test.slos[i];
    Json entry = {{"slo", text_of(report.slos[i])},
                  {"metric", key_of(report.slos[i])},
                  {"value_ms", f.value_ms},
                  {"target_ms", to_ms(report.slos[i].limit)},
                  {"exceeding_share", f.exceeding_share},
                  {"answer", name_of(f.answer)}};
    entry["interval"] = ends_or_null(f.interval_ms);
    entry["over_seeds"] = ends_or_null(f.over_seeds_ms);
    out.push_back(std::move(entry));
  }
  return out;
}

// Users with the rate at which they are answered.
void put_tested_load(const LoadUnit& unit, const LoadProbe& test, Json* out) {
  const bool counts_users = unit.counts_users();
  if (counts_users) (*out)["users"] = unit.users(test.rate_rps);
  (*out)["rate_rps"] = counts_users ? test.summary.cluster.responses_per_sec : test.rate_rps;
}

Json test_json(const CapacityReport& report, const LoadProbe& test) {
  Json out = {{"instances", test.instances},
              {"requests", test.requests},
              {"simulated_instances", test.simulated},
              {"seed", test.seed},
              {"seeds", test.seeds},
              {"answer", name_of(test.answer)},
              {"verdict", name_of(test.state.verdict)},
              {"reason", reason_text(test, report.slos)}};
  put_tested_load(report.unit, test, &out);
  for (const Figure& f : {figure("ttft_p99_ms"), figure("tpot_mean_ms"), figure("e2e_p99_ms"),
                          figure("utilization"), figure("kv_utilization")}) {
    out[f.key()] = f.of(test.summary.cluster);
  }
  out["backlog_growth_rps"] = test.state.backlog_growth_rps;
  out["slos"] = slos_json(report, test);
  out["intervals"] = intervals_json(test.summary.intervals, std::nullopt);
  const std::int64_t count = report.count_of(test);
  out["gpus"] = report.gpus(count);
  if (!report.prices.empty()) {
    const double usd = report.bill(count).usd_per_hour();
    out["usd_per_hour"] = usd;
    out["cost_per_million_output_tokens"] =
        usd_per_million_tokens(usd, test.summary.cluster.tokens_per_sec);
  }
  return out;
}

// What was asked for, and of the largest load what holds of it.
void put_load(const CapacityReport& r, Json* out) {
  const bool is_rate = r.rate_rps > 0 && !r.unit.counts_users();
  (*out)["rate_rps"] = is_rate ? Json(r.rate_rps) : Json();
  if (r.unit.counts_users()) (*out)["users"] = r.unit.users(r.rate_rps);
  if (!r.rate) return;
  const double good = r.rate->good_rps;
  if (r.unit.counts_users()) {
    (*out)["max_users"] = good > 0 ? r.unit.users(good) : 0;
    (*out)["users_answer"] = name_of(r.of_asked_rate());
  } else {
    (*out)["max_rate_rps"] = good;
    (*out)["rate_answer"] = is_rate ? Json(name_of(r.of_asked_rate())) : Json();
  }
}

// From what is held even with slow steps to what may be with short ones.
Interval in_unit(const LoadUnit& unit, const Interval& rates) {
  if (!unit.counts_users()) return rates;
  const auto users = [&](double rate_rps) {
    const bool is_number = rate_rps > 0 && std::isfinite(rate_rps);
    return is_number ? static_cast<double>(unit.users(rate_rps)) : rate_rps;
  };
  return {users(rates.low), users(rates.high)};
}

// Which pool is short, and in which test that was seen.
void put_shortage(const LoadUnit& unit, const LoadProbe& test, Json* out) {
  Json pools = Json::object();
  put_pools(test.summary.pools, &pools);
  for (const auto& [kind, figures] : pools.items()) {
    Json seen = figures;
    put_tested_load(unit, test, &seen);
    seen["instances"] = test.instances;
    (*out)[kind] = std::move(seen);
  }
}

// Else an interval would lack the model's error.
bool is_whole(const CapacityReport& r) { return r.model || !r.interrupted; }

void put_rate(const CapacityReport& r, Json* out) {
  (*out)["num_instances"] = r.instances;
  Json& intervals = (*out)["intervals"] = Json::object();
  if (r.best() == nullptr || !is_whole(r)) return;
  const auto model = r.model ? std::optional(in_unit(r.unit, *r.model)) : std::nullopt;
  intervals[r.unit.counts_users() ? "max_users" : "max_rate_rps"] = answer_interval_json(
      in_unit(r.unit, r.interval()), in_unit(r.unit, {r.rate->good_rps, r.rate->bad_rps}), model);
}

void put_instances(const CapacityReport& r, Json* to) {
  Json& out = *to;
  const std::int64_t group = r.fewest->group;
  out["instances"] = r.fewest->instances * group;
  if (r.counts_groups()) {
    out["groups"] = r.fewest->instances;
    out["pools"] = Json::array_of(r.pools, [&](const PoolSize& pool) {
      return Json{{"name", pool.name}, {"instances", pool.instances * r.fewest->instances}};
    });
  }
  out["one_fewer_answer"] =
      r.one_fewer() != nullptr ? Json(name_of(r.one_fewer()->answer)) : Json();
  out["instances_with_headroom"] =
      r.more_serve_no_more() ? Json() : Json(r.instances_with_headroom() * group);
  out["headroom"] = r.spare ? headroom_json(r.rate_rps, r.spare->good_rps) : Json();
  out["headroom_below"] = r.spare ? Json(headroom_below(r.rate_rps, r.spare->bad_rps)) : Json();
  out["intervals"] = Json::object();
  if (r.best() == nullptr || !is_whole(r)) return;
  const auto times = [of = static_cast<double>(group)](const Interval& groups) {
    return Interval{of * groups.low, of * groups.high};
  };
  const Interval sampled{static_cast<double>(r.fewest->too_few + 1),
                         static_cast<double>(r.fewest->instances)};
  out["intervals"]["instances"] = answer_interval_json(
      times(r.interval()), times(sampled), r.model ? std::optional(times(*r.model)) : std::nullopt);
}

}  // namespace

std::string capacity_json(const CapacityReport& r) {
  const Decision decision = decision_of(r);
  Json out = {{"decision", decision_json(decision)},
              {"schema_version", kCapacitySchema},
              {"answer", decision_text(decision)}};
  const LoadProbe* best = r.best();
  put_load(r, &out);
  if (r.rate) {
    put_rate(r, &out);
  } else {
    put_instances(r, &out);
  }
  out["holds"] = r.holds();
  out["binding"] = binding_of(r);
  out["bottleneck"] = best == nullptr ? "" : name_of(best->summary.bottleneck.resource);
  const double estimated_of = r.pools.empty() ? 1
                              : r.fewest      ? static_cast<double>(r.fewest->group)
                                              : static_cast<double>(r.instances);
  out["estimate"] = {{"rate_rps_per_instance", r.estimate.rate_rps / estimated_of},
                     {"batch", r.estimate.batch},
                     {"step_ms", r.estimate.step_ms},
                     {"prefill_share", r.estimate.prefill_share}};
  out["evidence"] = Json::array_of(r.rate ? r.rate->tests : r.fewest->tests,
                                   [&](const LoadProbe& test) { return test_json(r, test); });
  if (r.holds()) put_shortage(r.unit, r.short_of_pools(), &out);
  if (r.idle) out["idle"] = test_json(r, *r.idle);
  if (!r.tests_may_grow) out["busiest_tenth"] = r.traffic.busiest_tenth;
  out["interrupted"] = r.interrupted;
  out["assumed"] = capacity_assumed(r);
  out["seed"] = r.config.seed;
  out["config"] = config_json(r.config.entries);
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
