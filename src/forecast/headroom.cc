#include "forecast/headroom.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "forecast/money.h"
#include "forecast/simulated.h"

namespace plimsoll {
namespace {

// Smaller changes of a utilisation are none; figures of searches differ by more for no reason.
constexpr double kNoticed = 0.01;
constexpr double kNoticedOfSearched = 0.05;

struct Capacity {
  double value = 0;
  std::optional<Interval> interval;
  Provenance from = Provenance::given;
};

std::optional<double> value_of(const std::optional<Capacity>& capacity) {
  if (!capacity) return std::nullopt;
  return capacity->value;
}

using Capacities = std::array<std::optional<Capacity>, kResources>;

constexpr Resource kGrownAlone[]{Resource::requests, Resource::prompt_tokens,
                                 Resource::output_tokens};

bool is_searched(Resource resource) {
  return std::ranges::count(kGrownAlone, resource) > 0 || resource == Resource::gpus ||
         resource == Resource::budget;
}

Interval scaled(const Interval& interval, double factor) {
  return {interval.low * factor, interval.high * factor};
}

/// A situation in figures: what is asked of each resource, and what there is of it.
struct Figures {
  ResourceVector routed{};  ///< by routes and simulation, whatever is given
  ResourceVector demand{};
  Capacities capacity{};
};

class SheetMaker {
 public:
  SheetMaker(const ForecastRequest& request, const std::optional<Served>& served,
             const Simulated& simulated)
      : request_(request), served_(served), simulated_(simulated) {
    alone_ = lines_alone();
    baseline_ = figures_of(simulated.baseline, {}, true);
    forecast_ = figures_of(simulated.forecast, {}, false);
  }

  HeadroomSheet make() const {
    HeadroomSheet out;
    for (const ResourceFacts& facts : resources()) {
      if (auto row = row_of(facts.resource)) out.rows.push_back(std::move(*row));
    }
    out.binding = binding_of(out.rows);
    out.baseline = simulated_.baseline.peak;
    out.forecast = simulated_.forecast.peak;
    for (std::size_t i = 0; i < simulated_.scenarios.size(); ++i) {
      const Situation& s = simulated_.scenarios[i];
      if (!served_ || s.is_whole() || !s.problem.empty()) out.scenarios.push_back(scenario_row(i));
    }
    out.costs = route_costs(request_, served_);
    return out;
  }

 private:
  const GivenResource* given(Resource resource) const {
    const auto found = request_.given.find(resource);
    return found == request_.given.end() ? nullptr : &found->second;
  }

  // ---- demand

  ResourceVector routed_in(const Situation& s) const {
    ResourceVector demand = demand_of(s.flows);
    std::optional<double> gpus;
    if (s.peak) {
      if (const auto tokens = kv_tokens_held(s)) at(demand, Resource::active_kv_tokens) = *tokens;
      gpus = gpus_in_use(s);
      at(demand, Resource::gpus) = gpus;
      // In an overload the wait is as long as one looks.
      if (s.peak->probe.state.verdict != SteadyVerdict::overloaded) {
        at(demand, Resource::queue_delay) = s.peak->probe.summary.cluster.scheduling_delay.p95_ms;
      }
    }
    at(demand, Resource::budget) = usd_per_month(request_, s.flows, gpus, served_, s.price);
    return demand;
  }

  // Those that are there, or as many more as the peak needs.
  std::optional<double> gpus_in_use(const Situation& s) const {
    const double there =
        s.instances * served_->instances() * static_cast<double>(served_->gpus_per_instance);
    const auto needed = gpus_needed(s);
    if (!needed) return std::nullopt;
    return std::max(there, *needed);
  }

  // ---- capacity

  /// Where the baseline's requests, prompts and answers each alone break a limit.
  Capacities lines_alone() const {
    Capacities lines{};
    if (!served_) return lines;
    const ResourceVector demand = demand_of(simulated_.baseline.flows);
    const auto add = [&](Resource resource, const Line* line) {
      const auto& now = at(demand, resource);
      if (line == nullptr || !line->is_known || !now) return;
      of(lines, resource) =
          Capacity{*now * line->factor, scaled(line->interval, *now), Provenance::simulated};
    };
    const auto& peak = simulated_.baseline.peak;
    add(Resource::requests, peak ? &peak->line : nullptr);
    add(Resource::prompt_tokens, simulated_.prompts ? &*simulated_.prompts : nullptr);
    add(Resource::output_tokens, simulated_.answers ? &*simulated_.answers : nullptr);
    return lines;
  }

  static std::optional<Capacity>& of(Capacities& all, Resource resource) {
    return all[static_cast<std::size_t>(resource)];
  }
  static const std::optional<Capacity>& of(const Capacities& all, Resource resource) {
    return all[static_cast<std::size_t>(resource)];
  }

  // What is held of the whole, each resource can give at least; and a mix breaks a limit where all
  // of it together does, though no line may be crossed alone: there the closest of them ends.
  void bound_by_peak(const Situation& s, const ResourceVector& demand, Capacities* lines) const {
    if (!s.peak || !s.peak->line.is_known) return;
    const Line& held = s.peak->line;
    const auto end_at_peak = [&](Resource resource) {
      const double now = *at(demand, resource);
      of(*lines, resource) =
          Capacity{now * held.factor, scaled(held.interval, now), Provenance::simulated};
    };
    std::optional<Resource> closest;
    double most = 0;
    bool reaches_peak = false;
    for (const Resource resource : kGrownAlone) {
      const auto& now = at(demand, resource);
      if (!now || *now <= 0) continue;
      const auto& alone = of(*lines, resource);
      if (!alone || alone->value <= *now * held.factor) {
        end_at_peak(resource);
        reaches_peak = true;
      } else if (*now / alone->value > most) {
        most = *now / alone->value;
        closest = resource;
      }
    }
    if (!reaches_peak && closest) end_at_peak(*closest);
  }

  // What a limit on the TTFT leaves for waiting, after the prompt's own time.
  std::optional<Capacity> queue_capacity() const {
    std::optional<double> limit_ms;
    for (const Slo& slo : request_.slos) {
      if (slo.metric != SloMetric::ttft) continue;
      const double ms = to_ms(slo.limit);
      limit_ms = std::min(limit_ms.value_or(ms), ms);
    }
    const auto& peak = simulated_.baseline.peak;
    if (!limit_ms || !peak) return std::nullopt;
    const GroupSummary& all = peak->probe.summary.cluster;
    const double prompt_ms = all.ttft.mean_ms - all.scheduling_delay.mean_ms;
    return Capacity{std::max(0.0, *limit_ms - prompt_ms), std::nullopt, Provenance::simulated};
  }

  /// Lines of the deployment are in proportion to its instances.
  Capacities capacities_in(const Situation& s, const std::vector<Change>& changes,
                           const ResourceVector& demand) const {
    Capacities all = alone_;
    for (auto& capacity : all) {
      if (!capacity) continue;
      capacity->value *= s.instances;
      capacity->interval = scaled(*capacity->interval, s.instances);
    }
    bound_by_peak(s, demand, &all);
    if (served_) {
      of(all, Resource::active_kv_tokens) =
          Capacity{served_->kv_tokens() * s.instances, std::nullopt, Provenance::deployed};
      of(all, Resource::queue_delay) = queue_capacity();
    }
    for (const auto& [resource, g] : request_.given) {
      if (g.capacity) of(all, resource) = Capacity{*g.capacity, std::nullopt, Provenance::given};
    }
    for (const Change& change : changes) {
      for (const auto& [resource, factor] : change.capacity) {
        if (auto& capacity = of(all, resource)) capacity->value *= factor;
      }
    }
    return all;
  }

  Figures figures_of(const Situation& s, const std::vector<Change>& changes,
                     bool is_baseline) const {
    Figures f;
    f.routed = f.demand = routed_in(s);
    for (const auto& [resource, g] : request_.given) {
      if (const auto& stated = is_baseline ? g.baseline : g.forecast)
        at(f.demand, resource) = *stated;
    }
    f.capacity = capacities_in(s, changes, f.routed);
    return f;
  }

  // ---- rows

  std::optional<SheetRow> row_of(Resource resource) const {
    SheetRow row;
    row.resource = resource;
    row.baseline_p95 = at(baseline_.demand, resource);
    row.forecast_p95 = at(forecast_.demand, resource);
    if (!row.forecast_p95 && !row.baseline_p95) return std::nullopt;
    if (const auto& capacity = of(forecast_.capacity, resource)) {
      row.capacity = capacity->value;
      row.capacity_interval = capacity->interval;
      row.capacity_from = capacity->from;
    }
    const GivenResource* g = given(resource);
    if (g != nullptr) row.owner = g->owner;
    if (g != nullptr && g->forecast) {
      row.demand_from = g->from_history ? Provenance::history : Provenance::given;
      const auto band = request_.band_of(resource);
      if (band && g->from_history) row.forecast_band = scaled(*band, *row.forecast_p95);
    } else if (served_ && (resource == Resource::active_kv_tokens || resource == Resource::gpus ||
                           resource == Resource::queue_delay)) {
      row.demand_from = Provenance::simulated;
    } else if (const auto band = request_.band_of(resource);
               band && row.forecast_p95 && !(served_ && resource == Resource::budget)) {
      row.forecast_band = scaled(*band, *row.forecast_p95);
    }
    return row;
  }

  static std::optional<double> used(const Figures& f, Resource resource) {
    return used_share(at(f.demand, resource), value_of(of(f.capacity, resource)));
  }

  ScenarioRow scenario_row(std::size_t index) const {
    const Scenario& scenario = request_.scenarios[index];
    const Situation& s = simulated_.scenarios[index];
    const Figures& before = scenario.from_baseline ? baseline_ : forecast_;
    const Figures now = scenario_figures(scenario, s, before);
    ScenarioRow row;
    row.name = scenario.name;
    row.about = scenario.about;
    row.problem = s.problem;
    row.peak = s.peak;
    row.attempts = s.attempts;
    row.demand = now.demand;
    std::vector<std::pair<double, Resource>> changes;
    double most = 0;
    for (const ResourceFacts& facts : resources()) {
      const Resource resource = facts.resource;
      at(row.capacity, resource) = value_of(of(now.capacity, resource));
      const auto is = used(now, resource);
      if (is && (*is > most || !row.binding)) {
        most = *is;
        row.binding = resource;
        row.risk = risk_of(resource, *is);
      }
      const auto was = used(before, resource);
      if (is && was && is_change(resource, *was, *is)) changes.emplace_back(*is - *was, resource);
    }
    std::ranges::stable_sort(changes, std::greater{}, &std::pair<double, Resource>::first);
    for (const auto& [change, resource] : changes) {
      if (change > 0) row.worse.push_back(resource);
    }
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      if (change->first < 0) row.better.push_back(change->second);
    }
    if (const auto pressed = row.pressed()) {
      row.used_before = used(before, *pressed);
      if (const GivenResource* g = given(*pressed)) row.owner = g->owner;
    }
    return row;
  }

  static bool is_change(Resource resource, double was, double is) {
    if (std::isinf(was) || std::isinf(is)) return std::isinf(was) != std::isinf(is);
    const double least = is_searched(resource) ? kNoticedOfSearched * was : 0;
    return std::abs(is - was) > std::max(kNoticed, least);
  }

  // What was given is moved as what the routes ask for is.
  Figures scenario_figures(const Scenario& scenario, const Situation& s,
                           const Figures& before) const {
    Figures f;
    f.routed = f.demand = routed_in(s);
    const Situation& was = scenario.from_baseline ? simulated_.baseline : simulated_.forecast;
    for (const auto& [resource, g] : request_.given) {
      const auto& stated = scenario.from_baseline ? g.baseline : g.forecast;
      if (!stated) continue;
      at(f.demand, resource) = *stated * growth_of(resource, s, was, at(f.routed, resource),
                                                   at(before.routed, resource));
    }
    f.capacity = capacities_in(s, scenario.changes, f.routed);
    return f;
  }

  // KV tokens of which nobody says how long they are held grow with those that come.
  static double growth_of(Resource resource, const Situation& now, const Situation& before,
                          const std::optional<double>& demand, const std::optional<double>& was) {
    if (demand && was && *was > 0) return *demand / *was;
    if (resource != Resource::active_kv_tokens) return 1;
    const double held = held_per_second(before.flows);
    return held > 0 ? held_per_second(now.flows) / held : 1;
  }

  const ForecastRequest& request_;
  const std::optional<Served>& served_;
  const Simulated& simulated_;
  Capacities alone_{};
  Figures baseline_;
  Figures forecast_;
};

}  // namespace

Result<HeadroomSheet> find_headroom(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution) {
  auto simulated = simulate_forecast(request, served, execution);
  if (!simulated) return pass_on(simulated);
  const bool interrupted = !execution.keep_going();
  // A sheet with holes is none; scenarios that were cut short are left out.
  const bool has_holes = interrupted && served && !simulated->is_sheet_whole();
  HeadroomSheet out = has_holes ? HeadroomSheet{} : SheetMaker(request, served, *simulated).make();
  out.interrupted = interrupted;
  return out;
}

}  // namespace plimsoll
