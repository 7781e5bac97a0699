#include "forecast/runway/loss_plan.h"

#include <algorithm>
#include <cmath>

#include "forecast/headroom/figures.h"
#include "forecast/headroom/money.h"

namespace plimsoll {
namespace {

constexpr double kLossPrecision = 0.05;

std::int64_t ceil_of(std::int64_t number, std::int64_t parts) {
  return (number + parts - 1) / parts;
}

/// One loss in instances: of a fleet, and of what has to hold the load after it. The parts of a
/// fleet that are left each answer a part of the load: one, but for regions.
struct Spread {
  explicit Spread(const Loss& of) : loss(of) {
    if (of.kind == LossKind::regions) parts = of.count - 1;
  }

  /// Of so many, that are left in each part; of the smallest where they do not divide.
  std::int64_t left_of(std::int64_t fleet) const {
    switch (loss.kind) {
      case LossKind::instances:
        return std::max<std::int64_t>(0, fleet - loss.count);
      case LossKind::zones:
        return fleet - ceil_of(fleet, loss.count);
      case LossKind::regions:
        break;
    }
    return fleet / loss.count;
  }

  /// The smallest fleet of which so many are left in each part.
  std::int64_t fleet_for(std::int64_t left) const {
    switch (loss.kind) {
      case LossKind::instances:
        return left + loss.count;
      case LossKind::zones:
        return left + ceil_of(left, loss.count - 1);
      case LossKind::regions:
        break;
    }
    return left * loss.count;
  }

  Loss loss;
  std::int64_t parts = 1;
};

// When what is left of those deployed is too few for the first of the loads.
void find_dates(const ForecastRequest& request, const LossPeak& peak, LossPlan* plan) {
  const double lead_s = request.history.lead_time_days * kDayS;
  const double cold_s = request.history.cold_start_s;
  bool is_dated = !peak.loads.empty();
  for (const LoadAhead& load : peak.loads) {
    const double left = plan->held * peak.times;
    std::optional<Interval> known = load.known_within;
    if (known) known = scaled(*known, left);
    const Runway runway = crossing(*load.outlook, load.line * left, known);
    const auto from = runway.time_at(kAcceptedRisk);
    is_dated = is_dated && runway.known;
    if (!from || (plan->short_from_s && *plan->short_from_s <= *from)) continue;
    plan->short_from_s = from;
    plan->order = order_by(runway, peak.now_s, lead_s, cold_s, kAcceptedRisk);
  }
  // The searches behind the number and behind the line end a step of their precision apart.
  if (!is_dated) {
    plan->short_from_s.reset();
    plan->order = {};
  } else if (!plan->short_from_s || !plan->order.by_s) {
    plan->short_from_s = plan->short_from_s.value_or(peak.end_s);
    plan->order.by_s = *plan->short_from_s - lead_s - cold_s;
    plan->order.late = *plan->order.by_s < peak.now_s;
  }
}

}  // namespace

Result<std::vector<LossPlan>> plan_losses(const ForecastRequest& request, const LossPeak& peak,
                                          const Served& served, const FewestFor& fewest,
                                          const HeldBy& held) {
  const std::int64_t deployed = served.system.deployment.main().num_instances;
  std::vector<LossPlan> plans;
  for (const Loss& loss : request.losses) {
    const Spread spread(loss);
    LossPlan& plan = plans.emplace_back();
    plan.loss = loss;
    plan.peak_per_s = peak.requests_per_s;
    const double times = peak.times / static_cast<double>(spread.parts);
    std::int64_t needed = peak.instances;
    if (needed > 0 && spread.parts > 1) {
      TRY(found, fewest(times, ceil_of(peak.instances, spread.parts)));
      needed = found;
    }
    plan.instances_left = spread.left_of(deployed) * spread.parts;
    if (needed <= 0) continue;
    const std::int64_t fleet = spread.fleet_for(needed);
    plan.gpus = fleet * served.gpus_per_instance;
    plan.add_gpus = std::max<std::int64_t>(0, fleet - deployed) * served.gpus_per_instance;
    plan.add_usd_per_month = usd_per_month(served, static_cast<double>(plan.add_gpus));
    plan.held = 1;
    if (plan.add_gpus == 0) continue;
    if (plan.instances_left > 0) {
      TRY(share, held(times, spread.left_of(deployed)));
      plan.held = std::min(1.0, share);
    } else {
      plan.held = 0;
    }
    plan.stranded = (1 - plan.held) * peak.requests_per_s * request.history.cold_start_s;
    find_dates(request, peak, &plan);
  }
  return plans;
}

HeldBy held_by_tests(const ForecastRequest& request, const HeadroomSheet& headroom,
                     const Served& served, const Execution& execution) {
  const double carried = headroom.forecast ? headroom.forecast->line.factor : 0;
  return [&request, &served, &execution, carried](double times,
                                                  std::int64_t instances) -> Result<double> {
    std::vector<Flow> flows = flows_of(request.forecast);
    for (Flow& flow : flows) flow.requests_per_s *= times * carried;
    TRY(line, find_line(served.with_instances(instances), flows, LoadGrowth::rate, request.load,
                        execution, {.precision = kLossPrecision}));
    return line.factor;
  };
}

Result<LossPeak> loss_peak(const HeadroomSheet& headroom, const RunwaySheet* runway,
                           std::span<const LoadAhead> loads, const Served& served,
                           const FewestFor& fewest) {
  LossPeak peak;
  if (!headroom.forecast || headroom.forecast->line.factor <= 0) return peak;
  const double carried = headroom.forecast->line.factor;
  if (runway != nullptr) {
    if (runway->gpu_plan.steps.empty()) return peak;
    peak.times = runway->gpu_plan.peak[kNinety];
    peak.instances = runway->gpu_plan.most[kNinety] / served.gpus_per_instance;
    peak.loads = loads;
    const Outlook& first = *loads.front().outlook;
    peak.end_s = first.time_of(first.horizon());
    peak.now_s = runway->now_s;
  } else {
    peak.times = 1 / carried;
    const auto guess = std::llround(std::ceil(peak.times * served.instances()));
    TRY(found, fewest(peak.times, guess));
    peak.instances = found;
  }
  // What comes, whatever is known of what those deployed carry.
  double times = loads.empty() ? peak.times : 0;
  for (const LoadAhead& load : loads)
    times = std::max(times, load.outlook->peak()[kNinety] / load.line);
  peak.requests_per_s = times * carried * headroom.forecast->probe.rate_rps;
  return peak;
}

}  // namespace plimsoll
