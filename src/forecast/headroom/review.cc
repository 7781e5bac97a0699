#include "forecast/headroom/review.h"

#include "forecast/headroom/money.h"

namespace plimsoll {
namespace {

constexpr double kLeastTaken = 0.01;  // if that is not taken, nothing is

/// By arithmetic: how many times what comes is held.
Result<double> guessed_hold(const Served& served, const std::vector<Flow>& flows,
                            const TokenLoadOptions& options) {
  TRY(estimate, estimate_of(served, token_load(flows, LoadGrowth::rate, options)));
  return estimate.rate_rps * static_cast<double>(served.replicas()) / served_rate(flows);
}

class Reviewing {
 public:
  Reviewing(const ForecastRequest& request, const Simulated& simulated, const FigureMaker& figures)
      : request_(request), simulated_(simulated), figures_(figures) {}

  Spare retries() const {
    std::vector<Flow> twice = flows_of(request_.forecast);
    for (Flow& flow : twice) flow.requests_per_s *= 2;
    Spare spare = given_until(figures_.forecast(), twice);
    if (const auto& peak = simulated_.forecast.peak) {
      take(peak->line, std::max(0.0, peak->line.factor - 1), &spare);
      // What is not handled anyway says why.
      if (spare.beyond && peak->line.factor < 1 && peak->probe.answer == Answer::fails)
        spare.beyond = peak->probe;
    }
    return spare;
  }

  std::vector<FallbackSpare> fallbacks() const {
    std::vector<FallbackSpare> all;
    for (const Failover& failover : failovers(request_.forecast)) {
      const FailoverLines& lines = simulated_.failovers[all.size()];
      all.push_back({failover.route, failover.to, failover.requests_per_s,
                     taken(failover, FailureKind::whole, lines.whole),
                     taken(failover, FailureKind::partial, lines.partial)});
    }
    return all;
  }

  std::optional<double> cold_prompts() const {
    const auto now = at(demand_of(simulated_.forecast.flows), Resource::prompt_tokens);
    const auto then = at(demand_of(cold_flows()), Resource::prompt_tokens);
    return then > now ? then : std::nullopt;
  }

  std::optional<double> cold_dollars() const {
    const auto now = provider_usd_per_month(request_, simulated_.forecast.flows);
    const auto then = provider_usd_per_month(request_, cold_flows());
    return then > now ? std::optional(*then - *now) : std::nullopt;
  }

 private:
  Spare taken(const Failover& failover, FailureKind kind, const std::optional<Line>& line) const {
    const auto figures_at = [&](double share) {
      return figures_.if_came(flows_after(failover, kind, share, request_.forecast));
    };
    Spare spare = given_until(figures_at(0), flows_after(failover, kind, 1, request_.forecast));
    if (line) take(*line, line->factor, &spare);
    if (spare.share && std::isfinite(*spare.share) && *spare.share >= 1) return {1};
    return spare;
  }

  std::vector<Flow> cold_flows() const {
    Change cold;
    cold.set = {{&Route::cached_share, 0}};
    return flows_of(changed(request_.forecast, {cold}));
  }

  // On the way from `now` to `then`, what is asked for grows in proportion: the share of the way on
  // which every given capacity suffices.
  Spare given_until(const Figures& now, const std::vector<Flow>& then) const {
    const Figures at_end = figures_.if_came(then);
    Spare spare{std::numeric_limits<double>::infinity()};
    double used_most = 0;
    for (const ResourceFacts& facts : resources()) {
      const Resource resource = facts.resource;
      const auto& capacity = now.capacity_of(resource);
      const bool is_given = capacity && capacity->from == Provenance::given;
      const auto was = now.used(resource);
      const auto is = at_end.used(resource);
      const bool grows = at(at_end.demand, resource) > at(now.demand, resource);
      if (!is_given || !was || !is || !grows) continue;
      const double share = *was >= 1 ? 0 : (1 - *was) / (*is - *was);
      if (share > *spare.share || (share == *spare.share && *was <= used_most)) continue;
      spare = {share, resource};
      used_most = *was;
    }
    return spare;
  }

  static void take(const Line& line, double share, Spare* spare) {
    if (!line.is_known) {
      // What is given may say that nothing is left; else nobody can tell.
      if (*spare->share > 0) *spare = {};
    } else if (share < *spare->share) {
      *spare = {share, {}, line.beyond};
    }
  }

  const ForecastRequest& request_;
  const Simulated& simulated_;
  const FigureMaker& figures_;
};

}  // namespace

std::vector<Failover> failovers(const std::vector<Route>& routes) {
  std::vector<Failover> all;
  for (const Route& route : routes) {
    if (route.fallback_to.empty() || route.requests_per_s <= 0) continue;
    const auto to = std::ranges::find(routes, route.fallback_to, &Route::name);
    all.push_back({route.name, to->name, route.requests_per_s, !to->from_provider});
  }
  return all;
}

std::vector<Flow> flows_after(const Failover& failover, FailureKind kind, double share,
                              const std::vector<Route>& routes) {
  Change change;
  change.routes = {failover.route};
  if (kind == FailureKind::whole) change.times = {{&Route::requests_per_s, share}};
  change.shift = Shift{failover.to, kind == FailureKind::whole ? 1 : share};
  return flows_of(changed(routes, {change}));
}

Result<Line> find_share_line(const Served& served, const TokenLoadOptions& options,
                             const FlowsByShare& flows_at, const std::vector<Flow>& now,
                             double now_held, const LineEffort& line_effort,
                             const Execution& execution) {
  // What arithmetic says of them is known to be off by so much.
  TRY(guessed_now, guessed_hold(served, now, options));
  RateSearchOptions search;
  double low = kLeastTaken;
  double high = 1;
  for (double share = high; high > low * search.first_step; share = std::sqrt(low * high)) {
    TRY(guessed, guessed_hold(served, flows_at(share), options));
    (guessed / guessed_now * now_held >= 1 ? low : high) = share;
  }
  search.guess = low;
  search.lowest = kLeastTaken;
  search.highest = 1;
  const LoadMaker load = [&](double share, std::int64_t requests) {
    const std::vector<Flow> flows = flows_at(share);
    return token_load(flows, LoadGrowth::rate, options)(served_rate(flows), requests);
  };
  TRY(estimate, estimate_of(served, load));
  const std::vector<Flow> most = flows_at(1);
  const double filling = requests_to_fill(most, served_rate(most));
  return search_line(served, load, search, 1, {estimate, filling}, line_effort, execution);
}

ReviewAnswers review_answers(const ForecastRequest& request, const Simulated& simulated,
                             const FigureMaker& figures) {
  const Reviewing reviewing(request, simulated, figures);
  return {reviewing.retries(), reviewing.fallbacks(), reviewing.cold_prompts(),
          reviewing.cold_dollars()};
}

}  // namespace plimsoll
