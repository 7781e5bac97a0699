#include "forecast/headroom/figures.h"

#include "forecast/headroom/money.h"
#include "forecast/headroom/provider_limits.h"

namespace plimsoll {
namespace {

using Capacities = decltype(Figures::capacity);

constexpr double kPercentileOfWait = 95;

constexpr Resource kGrownAlone[]{Resource::requests, Resource::prompt_tokens,
                                 Resource::output_tokens};

constexpr Resource kOfProviders[]{Resource::provider_requests, Resource::provider_tokens};

constexpr Resource kSummedOverFlows[]{Resource::requests,          Resource::prompt_tokens,
                                      Resource::output_tokens,     Resource::gateway_requests,
                                      Resource::provider_requests, Resource::provider_tokens};

std::optional<Capacity>& of(Capacities& all, Resource resource) {
  return all[static_cast<std::size_t>(resource)];
}

// What is held of the whole, each resource can give at least; and a mix breaks a limit where all
// of it together does, though no line may be crossed alone: there the closest of them ends. Where
// none of the mix is held there is nothing of any of it.
void bound_by_peak(const Situation& s, const ResourceVector& demand, Capacities* lines) {
  if (!s.peak || !s.peak->line.is_known) return;
  const Line& held = s.peak->line;
  const auto end_at_peak = [&](Resource resource) {
    const double now = *at(demand, resource);
    of(*lines, resource) =
        Capacity{now * held.factor, scaled(s.peak->held(), now), Provenance::simulated};
  };
  std::optional<Resource> closest;
  double most = 0;
  bool reaches_peak = false;
  for (const Resource resource : kGrownAlone) {
    const auto& now = at(demand, resource);
    if (!now || *now <= 0) continue;
    const auto& alone = of(*lines, resource);
    if (!alone || alone->value <= *now * held.factor || held.factor <= 0) {
      end_at_peak(resource);
      reaches_peak = true;
    } else if (*now / alone->value > most) {
      most = *now / alone->value;
      closest = resource;
    }
  }
  if (!reaches_peak && closest) end_at_peak(*closest);
}

// KV tokens of which nobody says how long they are held grow with those that come.
double growth_of(Resource resource, const Situation& now, const Situation& before,
                 const std::optional<double>& demand, const std::optional<double>& was) {
  if (demand && was && *was > 0) return *demand / *was;
  if (resource != Resource::active_kv_tokens) return 1;
  const double held = held_per_second(before.flows);
  return held > 0 ? held_per_second(now.flows) / held : 1;
}

}  // namespace

Interval scaled(const Interval& interval, double factor) {
  return {interval.low * factor, interval.high * factor};
}

std::optional<double> Figures::used(Resource resource) const {
  const auto& there = capacity_of(resource);
  return used_share(at(demand, resource), there ? std::optional(there->value) : std::nullopt);
}

FigureMaker::FigureMaker(const ForecastRequest& request, const std::optional<Served>& served,
                         const Simulated& simulated)
    : request_(request), served_(served), simulated_(simulated) {
  alone_ = lines_alone();
  baseline_ = figures_of(simulated.baseline, true);
  forecast_ = figures_of(simulated.forecast, false);
}

/// Where providers have limits of their own, the one that is used most stands for all.
ResourceVector FigureMaker::demand_by(const std::vector<Flow>& flows) const {
  ResourceVector demand = demand_of(flows);
  for (const Resource resource : kOfProviders) {
    if (const auto limit = tightest_limit(request_, flows, resource))
      at(demand, resource) = limit->demand;
  }
  return demand;
}

void FigureMaker::take_provider_limits(const std::vector<Flow>& flows, Capacities* all) const {
  for (const Resource resource : kOfProviders) {
    if (const auto limit = tightest_limit(request_, flows, resource))
      of(*all, resource) = Capacity{limit->most, std::nullopt, Provenance::given};
  }
}

ResourceVector FigureMaker::routed_in(const Situation& s, bool from_baseline) const {
  ResourceVector demand = demand_by(s.flows);
  if (served_ || request_.given.contains(Resource::context_tokens))
    at(demand, Resource::context_tokens) = p95_context_tokens(s.flows, request_.load);
  std::optional<double> gpus;
  if (s.peak) {
    if (const auto tokens = kv_tokens_held(s, request_.load))
      at(demand, Resource::active_kv_tokens) = *tokens;
    gpus = gpus_in_use(s);
    at(demand, Resource::gpus) = gpus;
    // In an overload the wait is as long as one looks.
    if (s.peak->probe.state.verdict != SteadyVerdict::overloaded) {
      at(demand, Resource::queue_delay) = s.peak->probe.summary.cluster.scheduling_delay.p95_ms;
    }
  }
  auto& usd = at(demand, Resource::budget);
  usd = usd_per_month(request_, s.flows, from_baseline, gpus, served_);
  if (usd) *usd *= s.price;
  return demand;
}

/// Where the baseline's requests, prompts and answers each alone break a limit.
Capacities FigureMaker::lines_alone() const {
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

// What a limit on the TTFT leaves for waiting, after the prompt's own time. The wait is its p95,
// which limits on means and lower percentiles say nothing about.
std::optional<Capacity> FigureMaker::queue_capacity() const {
  std::optional<double> limit_ms;
  for (const Slo& slo : request_.slos) {
    if (slo.metric != &GroupSummary::ttft || slo.percentile.value_or(0) < kPercentileOfWait)
      continue;
    const double ms = to_ms(slo.limit);
    limit_ms = std::min(limit_ms.value_or(ms), ms);
  }
  const auto& peak = simulated_.baseline.peak;
  if (!limit_ms || !peak) return std::nullopt;
  const GroupSummary& all = peak->probe.summary.cluster;
  const double prompt_ms = all.ttft.mean_ms - all.scheduling_delay.mean_ms;
  return Capacity{std::max(0.0, *limit_ms - prompt_ms), std::nullopt, Provenance::simulated};
}

/// Lines of the deployment are in proportion to what is left of it.
Capacities FigureMaker::capacities_in(const Situation& s, const std::vector<Change>& changes,
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
        Capacity{s.instances > 0 ? s.served->kv_tokens() : 0, std::nullopt, Provenance::deployed};
    of(all, Resource::context_tokens) =
        Capacity{served_->context_tokens(), std::nullopt, Provenance::deployed};
    of(all, Resource::queue_delay) = queue_capacity();
  }
  take_provider_limits(s.flows, &all);
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

Figures FigureMaker::figures_of(const Situation& s, bool is_baseline) const {
  Figures f;
  f.routed = f.demand = routed_in(s, is_baseline);
  for (const auto& [resource, g] : request_.given) {
    if (const auto& stated = is_baseline ? g.baseline : g.forecast) {
      at(f.demand, resource) = *stated;
    }
  }
  f.capacity = capacities_in(s, {}, f.routed);
  return f;
}

void FigureMaker::move_given(const Situation& now, const Situation& was, bool from_baseline,
                             Figures* out) const {
  const Figures& before = from_baseline ? baseline_ : forecast_;
  for (const auto& [resource, g] : request_.given) {
    const auto& stated = from_baseline ? g.baseline : g.forecast;
    if (!stated) continue;
    at(out->demand, resource) = *stated * growth_of(resource, now, was, at(out->routed, resource),
                                                    at(before.routed, resource));
  }
}

Figures FigureMaker::after(const Scenario& scenario, const Situation& s) const {
  Figures f;
  f.routed = routed_in(s, scenario.from_baseline);
  for (const Resource resource : kSummedOverFlows) {
    auto& now = at(f.routed, resource);
    if (at(before(scenario).routed, resource)) now = now.value_or(0);  // nobody asks any more
  }
  f.demand = f.routed;
  const Situation& was = scenario.from_baseline ? simulated_.baseline : simulated_.forecast;
  move_given(s, was, scenario.from_baseline, &f);
  f.capacity = capacities_in(s, scenario.changes, f.routed);
  return f;
}

Figures FigureMaker::if_came(std::vector<Flow> flows) const {
  for (Flow& flow : flows) {
    if (flow.sessions) flow.cached_share *= simulated_.forecast.session_hits;
  }
  Situation s;
  s.flows = flows;
  Figures f;
  f.routed = demand_by(flows);
  at(f.routed, Resource::budget) =
      usd_per_month(request_, flows, false, at(forecast_.routed, Resource::gpus), served_);
  f.demand = f.routed;
  move_given(s, simulated_.forecast, false, &f);
  f.capacity = forecast_.capacity;
  take_provider_limits(flows, &f.capacity);
  return f;
}

}  // namespace plimsoll
