#include "forecast/runway/loss_plan.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "base/numbers.h"
#include "forecast/headroom/figures.h"
#include "forecast/headroom/lost.h"
#include "forecast/headroom/money.h"

namespace plimsoll {
namespace {

// The parts of a fleet that are left each answer a part of the load: one, but for regions.
std::int64_t parts_left(const Loss& loss) {
  return loss.kind == LossKind::regions ? loss.count - 1 : 1;
}

// So many replicas, of which `left` are whole in each part after the loss.
std::int64_t replicas_for(const Loss& loss, std::int64_t left) {
  if (loss.kind == LossKind::instances) return left + loss.count;
  if (loss.kind == LossKind::zones) return left + ceil_div(left, loss.count - 1);
  return left * loss.count;
}

// The smallest number from `low` on that survives, where `high` does.
template <class Survives>
Result<std::int64_t> fewest_between(std::int64_t low, std::int64_t high, const Survives& survives) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    TRY(enough, survives(middle));
    (enough ? high : low) = enough ? middle : middle + 1;
  }
  return high;
}

std::int64_t instances_of(const std::vector<LeftParts>& left) {
  std::int64_t instances = 0;
  for (const LeftParts& parts : left) {
    if (!parts.each.served) continue;
    instances += parts.count * parts.each.served->system.deployment.num_instances();
  }
  return instances;
}

// How many times their part of the load so many parts hold.
struct PartsHold {
  std::int64_t count = 1;
  double held = 0;
};

// The smallest parts last, each with an equal part of the load.
Result<std::vector<PartsHold>> shares_of(const std::vector<LeftParts>& left, double times,
                                         const HeldBy& held) {
  const auto parts = static_cast<double>(total_of(left, &LeftParts::count));
  std::vector<PartsHold> shares;
  for (const LeftParts& alike : left) {
    PartsHold& share = shares.emplace_back(PartsHold{alike.count, 0});
    if (alike.each.served) TRY_SET(share.held, held(times / parts, *alike.each.served));
  }
  if (shares.empty()) shares.push_back({1, 0});
  return shares;
}

// Of the whole load, where each part holds `scale` times that: what is too much for one, no other
// answers.
double mean_share(const std::vector<PartsHold>& shares, double scale) {
  double sum = 0;
  double parts = 0;
  for (const PartsHold& share : shares) {
    const auto count = static_cast<double>(share.count);
    sum += count * std::clamp(share.held * scale, 0.0, 1.0);
    parts += count;
  }
  return sum / parts;
}

// When what is left of those deployed is too few for the first of the loads.
// `left`: in units of what those deployed carry.
void find_dates(const ForecastRequest& request, const LossPeak& peak, double left, LossPlan* plan) {
  const double lead_s = request.history.lead_time_days * kDayS;
  const double cold_s = request.history.cold_start_s;
  bool is_dated = !peak.loads.empty();
  for (const LoadAhead& load : peak.loads) {
    std::optional<Interval> known = load.known_within;
    if (known) known = scaled(*known, left);
    const Runway runway = crossing(*load.outlook, load.line * left, known, load.now_of_line);
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
  const std::int64_t deployed = served.replicas();
  const std::vector<Flow> flows = flows_of(request.forecast);
  std::vector<LossPlan> plans;
  for (const Loss& loss : request.losses) {
    LossPlan& plan = plans.emplace_back();
    plan.loss = loss;
    plan.peak_per_s = peak.requests_per_s;
    const std::int64_t parts = parts_left(loss);
    const double times = peak.times / static_cast<double>(parts);
    std::int64_t needed = peak.replicas;
    if (needed > 0 && parts > 1) {
      TRY(found, fewest(times, ceil_div(peak.replicas, parts)));
      needed = found;
    }
    const std::vector<LeftParts> left = parts_after(loss, served, flows, request.load);
    plan.instances_left = instances_of(left);
    if (needed <= 0) continue;
    const double least = peak.covers_error ? peak.slow_end : 1;
    const auto survives = [&](std::int64_t replicas) -> Result<bool> {
      const Left then = left_after(loss, served.with_replicas(replicas), flows, request.load);
      if (!then.served) return false;
      TRY(share, held(times, *then.served));
      return share * least >= 1;
    };
    std::int64_t fleet = replicas_for(loss, needed);
    if (served.has_pools()) TRY_SET(fleet, fewest_between(needed, fleet, survives));
    plan.gpus = fleet * served.gpus_per_replica();
    plan.add_gpus = std::max<std::int64_t>(0, fleet - deployed) * served.gpus_per_replica();
    plan.add_usd_per_month = usd_per_month(served, static_cast<double>(plan.add_gpus));
    plan.held = 1;
    const bool is_sure = peak.slow_end >= 1 || peak.covers_error;
    if (plan.add_gpus == 0 && (is_sure || plan.instances_left == 0)) continue;
    TRY(shares, shares_of(left, peak.times, held));
    if (plan.add_gpus == 0) {
      plan.held_at_slow_end = mean_share(shares, peak.slow_end);
      continue;
    }
    plan.held = mean_share(shares, peak.times / peak.demand_times);
    plan.stranded = (1 - plan.held) * peak.requests_per_s * request.history.cold_start_s;
    find_dates(request, peak, peak.times * std::min(1.0, shares.back().held), &plan);
  }
  return plans;
}

HeldBy held_by_tests(const ForecastRequest& request, const HeadroomSheet& headroom,
                     const Execution& execution) {
  const double carried = headroom.forecast ? headroom.forecast->line.factor : 0;
  return [&request, &execution, carried](double times, const Served& left) -> Result<double> {
    TRY(line, find_line(left, flows_of(request.forecast), LoadGrowth::rate, request.load, execution,
                        kLossEffort));
    return line.factor / (times * carried);
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
    peak.replicas = runway->gpu_plan.most[kNinety] / served.gpus_per_replica();
    peak.loads = loads;
    const Outlook& first = *loads.front().outlook;
    peak.end_s = first.time_of(first.horizon());
    peak.now_s = runway->now_s;
  } else {
    peak.times = 1 / carried;
    if (headroom.forecast->line.is_known) peak.slow_end = headroom.forecast->held().low / carried;
    if (const auto& covering = headroom.gpus_at_slow_end) {
      peak.covers_error = true;
      peak.replicas = std::llround(*covering) / served.gpus_per_replica();
    } else {
      const auto guess =
          std::llround(std::ceil(peak.times * static_cast<double>(served.replicas())));
      TRY_SET(peak.replicas, fewest(peak.times, guess));
    }
  }
  peak.demand_times = loads.empty() ? peak.times : 0;
  for (const LoadAhead& load : loads)
    peak.demand_times = std::max(peak.demand_times, load.outlook->peak()[kNinety] / load.line);
  peak.requests_per_s = peak.demand_times * carried * headroom.forecast->probe.rate_rps;
  const RunwayRow* requests =
      runway != nullptr ? find_in(runway->rows, Resource::requests, &RunwayRow::resource) : nullptr;
  if (requests != nullptr) peak.requests_per_s = requests->peak[kNinety];
  return peak;
}

}  // namespace plimsoll
