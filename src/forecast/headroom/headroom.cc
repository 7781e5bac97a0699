#include "forecast/headroom/headroom.h"

#include <cmath>

#include "base/lists.h"
#include "forecast/headroom/figures.h"
#include "forecast/headroom/money.h"
#include "forecast/headroom/review.h"
#include "forecast/headroom/simulated.h"
#include "forecast/headroom/trigger.h"

namespace plimsoll {
namespace {

// A limit on latency that its figure exceeds: missed, however close.
bool misses_limit(const ForecastRequest& request, const ScenarioRow& row) {
  double value_ms = 0;
  const Slo* limit = tightest_limit(row, request.slos, &value_ms);
  return limit != nullptr && value_ms > to_ms(limit->limit);
}

// Smaller changes of a utilisation are none; figures of searches differ by more for no reason.
constexpr double kNoticed = 0.01;
constexpr double kNoticedOfSearched = 0.05;

bool is_searched(Resource resource) {
  return resource == Resource::requests || resource == Resource::prompt_tokens ||
         resource == Resource::output_tokens || resource == Resource::gpus ||
         resource == Resource::budget;
}

class SheetMaker {
 public:
  SheetMaker(const ForecastRequest& request, const std::optional<Served>& served,
             const Simulated& simulated)
      : request_(request),
        served_(served),
        simulated_(simulated),
        figures_(request, served, simulated) {}

  HeadroomSheet make() const {
    HeadroomSheet out;
    for (const ResourceFacts& facts : resources()) {
      if (auto row = row_of(facts.resource)) out.rows.push_back(std::move(*row));
    }
    ResourceVector used{};
    for (const SheetRow& row : out.rows) at(used, row.resource) = row.utilisation();
    out.binding = binding_of(used);
    out.baseline = simulated_.baseline.peak;
    out.forecast = simulated_.forecast.peak;
    out.mix_changes = !multiple_of(simulated_.baseline.flows, simulated_.forecast.flows);
    for (std::size_t i = 0; i < simulated_.scenarios.size(); ++i) {
      const Situation& s = simulated_.scenarios[i];
      if (!served_ || s.is_whole() || !s.problem.empty()) out.scenarios.push_back(scenario_row(i));
    }
    std::optional<double> gpus;  // as the sheet counts and pays them
    if (const Situation& s = simulated_.forecast; s.peak) {
      out.too_long = too_long_by_route(s.flows, *s.served, s.peak->probe, request_.load);
      gpus = gpus_in_use(s);
      if (s.replicas_at_slow_end > 0)
        out.gpus_at_slow_end =
            static_cast<double>(s.replicas_at_slow_end * s.served->gpus_per_replica());
    }
    out.session_hits = simulated_.forecast.session_hits;
    ForecastRequest seen = request_;
    seen.forecast = as_seen(out, std::move(seen.forecast));
    out.costs = route_costs(seen, served_, gpus, out.too_long);
    out.concurrency = concurrency_of(simulated_.forecast);
    out.review = review_answers(request_, simulated_, figures_);
    return out;
  }

 private:
  const GivenResource* given(Resource resource) const {
    const auto found = request_.given.find(resource);
    return found == request_.given.end() ? nullptr : &found->second;
  }

  std::optional<SheetRow> row_of(Resource resource) const {
    SheetRow row;
    row.resource = resource;
    row.baseline_p95 = at(figures_.baseline().demand, resource);
    row.forecast_p95 = at(figures_.forecast().demand, resource);
    if (!row.forecast_p95 && !row.baseline_p95) return std::nullopt;
    if (const auto& capacity = figures_.forecast().capacity_of(resource)) {
      row.capacity = capacity->value;
      row.capacity_interval = capacity->interval;
      row.capacity_from = capacity->from;
      const auto& now = figures_.baseline().capacity_of(resource);
      const bool moves = served_ && capacity->from == Provenance::simulated && now &&
                         !multiple_of(simulated_.baseline, simulated_.forecast);
      if (moves) row.capacity_now = now->value;
    }
    if (const auto& peak = simulated_.forecast.peak; peak && resource == Resource::context_tokens)
      row.refused_share = refused_share(*peak);
    const GivenResource* g = given(resource);
    if (g != nullptr) row.owner = g->owner;
    if (g != nullptr && g->forecast) {
      row.demand_from = g->from_history ? Provenance::history : Provenance::given;
      const auto band = request_.band_of(resource);
      if (band && g->from_history) row.forecast_band = scaled(*band, *row.forecast_p95);
    } else if (served_ && (resource == Resource::active_kv_tokens || resource == Resource::gpus ||
                           resource == Resource::queue_delay)) {
      row.demand_from = Provenance::simulated;
    } else if (resource == Resource::context_tokens) {  // requests do not get longer by being more
    } else if (const auto band = request_.band_of(resource);
               band && row.forecast_p95 && !(served_ && resource == Resource::budget)) {
      row.forecast_band = scaled(*band, *row.forecast_p95);
    }
    return row;
  }

  ScenarioRow scenario_row(std::size_t index) const {
    const Scenario& scenario = request_.scenarios[index];
    const Situation& s = simulated_.scenarios[index];
    const Figures& before = figures_.before(scenario);
    const Figures now = figures_.after(scenario, s);
    ScenarioRow row;
    row.name = scenario.name;
    row.about = scenario.about;
    row.problem = s.problem;
    row.peak = s.peak;
    row.attempts = s.attempts;
    if (s.served && s.instances < 1) row.instances = s.served->system.deployment.num_instances();
    row.lowers_limits = std::ranges::any_of(scenario.changes, [](const Change& change) {
      return std::ranges::any_of(change.capacity, [](const auto& of) { return of.second < 1; });
    });
    row.is_decided = std::ranges::none_of(scenario.changes, [](const Change& change) {
      return change.price != 1 || change.instances < 0 || change.failover.has_value();
    });
    if (s.is_outage) {
      row.is_outage = true;
      row.risk = Risk::shortfall;
      row.peak.emplace().line.is_known = true;  // that none of it is held
    }
    if (!s.problem.empty()) return row;  // nothing more is known of it
    row.demand = now.demand;
    std::vector<std::pair<double, Resource>> changes;
    ResourceVector used{};
    for (const ResourceFacts& facts : resources()) {
      const Resource resource = facts.resource;
      if (const auto& there = now.capacity_of(resource)) at(row.capacity, resource) = there->value;
      const auto is = now.used(resource);
      at(used, resource) = is;
      const auto was = before.used(resource);
      if (is && was && is_change(resource, *was, *is)) changes.emplace_back(*is - *was, resource);
    }
    row.binding = binding_of(used);
    if (row.binding) row.risk = risk_of(*row.binding, *at(used, *row.binding));
    if (row.risk == Risk::tight && misses_limit(request_, row)) row.risk = Risk::shortfall;
    std::ranges::stable_sort(changes, std::greater{}, &std::pair<double, Resource>::first);
    for (const auto& [change, resource] : changes) {
      if (change > 0) row.worse.push_back(resource);
    }
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      if (change->first < 0) row.better.push_back(change->second);
    }
    row.is_busy_hour = !scenario.hour.empty();
    row.is_as_forecast = !scenario.from_baseline && row.worse.empty() && row.better.empty();
    if (const auto pressed = row.pressed(); pressed && !row.is_busy_hour) {
      if (const GivenResource* g = given(*pressed)) row.owner = g->owner;
      const Resource watched = *watched_of(row, s.flows);
      row.trigger =
          trigger_of(row, watched, facts_for(scenario, s, before, watched), request_.slos);
    }
    return row;
  }

  TriggerFacts facts_for(const Scenario& scenario, const Situation& now, const Figures& before,
                         Resource pressed) const {
    const Situation& was = scenario.from_baseline ? simulated_.baseline : simulated_.forecast;
    TriggerFacts facts{was.flows, now.flows, std::nullopt};
    facts.demand_before = at(before.demand, pressed);
    facts.used_before = before.used(pressed);
    if (const auto& line = before.capacity_of(pressed)) facts.line_before = line->value;
    if (const auto& line = now.cohort_line; line && line->is_known && line->factor > 0) {
      facts.cohort_held = cohort_of(scenario)->share * line->factor;
    }
    if (is_cohort_refused(scenario, now, was)) facts.cohort_held = 0;
    facts.same_deployment = std::ranges::none_of(scenario.changes, [](const Change& change) {
      return change.instances != 0 || change.batch_window_ms > 0 || !change.capacity.empty();
    });
    return facts;
  }

  // Most requests of the cohort exceed the context window, however few there are.
  static bool is_cohort_refused(const Scenario& scenario, const Situation& now,
                                const Situation& was) {
    const Cohort* cohort = cohort_of(scenario);
    if (cohort == nullptr || !now.peak || !was.peak) return false;
    const double more = refused_share(*now.peak).value_or(0) - refused_share(*was.peak).value_or(0);
    return more > cohort->share / 2;
  }

  static bool is_change(Resource resource, double was, double is) {
    if (std::isinf(was) || std::isinf(is)) return std::isinf(was) != std::isinf(is);
    const double least = is_searched(resource) ? kNoticedOfSearched * was : 0;
    return std::abs(is - was) > std::max(kNoticed, least);
  }

  const ForecastRequest& request_;
  const std::optional<Served>& served_;
  const Simulated& simulated_;
  FigureMaker figures_;
};

// In the engine and before it, in seconds.
std::optional<double> residence_of(const Flow& flow, const LoadProbe* seen) {
  if (flow.from_provider || seen == nullptr) {
    return flow.residence_s > 0 ? std::optional(flow.residence_s) : std::nullopt;
  }
  const GroupSummary& all = seen->summary.cluster;
  const double gaps = std::max(0.0, flow.output_tokens - 1);
  return (all.ttft.mean_ms + gaps * all.itl.mean_ms) / 1e3;
}

}  // namespace

Result<HeadroomSheet> find_headroom(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution) {
  TRY(simulated, simulate_forecast(request, served, execution));
  const bool interrupted = !execution.keep_going();
  // A sheet with holes is none; scenarios that were cut short are left out.
  const bool has_holes = interrupted && served && !simulated.is_sheet_whole();
  HeadroomSheet out = has_holes ? HeadroomSheet{} : SheetMaker(request, served, simulated).make();
  TRY_SET(out.providers, provider_rows(request));
  out.interrupted = interrupted;
  return out;
}

std::vector<RouteConcurrency> concurrency_of(const Situation& peak) {
  const LoadProbe* seen = peak.held_probe();
  std::vector<RouteConcurrency> all;
  std::vector<std::string> unknown;
  for (const Flow& flow : peak.flows) {
    const auto residence = residence_of(flow, seen);
    if (!residence) {
      unknown.push_back(flow.route);
      continue;
    }
    auto known = std::ranges::find(all, flow.route, &RouteConcurrency::route);
    if (known == all.end()) known = all.insert(all.end(), {flow.route, 0});
    known->requests += flow.requests_per_s * *residence;
  }
  std::erase_if(all, [&](const RouteConcurrency& each) { return contains(unknown, each.route); });
  return all;
}

}  // namespace plimsoll
