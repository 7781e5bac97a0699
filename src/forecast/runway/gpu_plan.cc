#include "forecast/runway/gpu_plan.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/lists.h"
#include "catalog/price.h"
#include "forecast/headroom/figures.h"
#include "forecast/headroom/money.h"
#include "forecast/headroom/situation.h"
#include "forecast/history/history.h"
#include "forecast/runway/bill.h"
#include "forecast/runway/sheet.h"
#include "planner/answer_error.h"
#include "stats/average.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr std::size_t kQuantiles = kBandPercents.size();

/// Of the highest load within the horizon.
BandQuantiles peak_of(const std::vector<std::vector<double>>& used) {
  return quantiles_of(mapped(
      used, [](const std::vector<double>& path) { return *std::ranges::max_element(path); }));
}

/// Instances for each quantile of a load, in units of what those deployed carry.
/// `of_deployed`: the same load, where each path meets what is known of those deployed.
class InstanceNeeds {
 public:
  InstanceNeeds(const BandQuantiles& peak, const BandQuantiles& of_deployed, double deployed,
                const FewestFor& fewest)
      : peak_(peak), of_deployed_(of_deployed), deployed_(deployed), fewest_(fewest) {}

  /// False where no number of instances holds one of them.
  Result<bool> find() {
    TRY(least, find_one(0));
    TRY(most, find_one(kQuantiles - 1));
    if (!least || !most) return false;
    return find_between(0, kQuantiles - 1);
  }

  const std::array<std::int64_t, kQuantiles>& instances() const { return instances_; }

 private:
  Result<bool> find_one(std::size_t quantile) {
    instances_[quantile] = 1;
    if (peak_[quantile] <= 0) return true;  // nothing to test
    const auto guess =
        std::max<std::int64_t>(1, std::llround(std::ceil(peak_[quantile] * deployed_)));
    TRY(found, fewest_(peak_[quantile], guess));
    // What those deployed carry needs no more of them, though the test of it may be too close to
    // call, and what is beyond that by more than the precision of their line needs more.
    const std::int64_t deployed = std::llround(deployed_);
    instances_[quantile] = found;
    if (of_deployed_[quantile] <= 1) instances_[quantile] = std::min(found, deployed);
    if (of_deployed_[quantile] > 1 + LineEffort{}.precision && found > 0)
      instances_[quantile] = std::max(found, deployed + 1);
    return found > 0;
  }

  // Needs rise with the quantile: where both ends are equal, so is everything between them.
  Result<bool> find_between(std::size_t low, std::size_t high) {
    if (instances_[low] == instances_[high]) {
      std::fill(&instances_[low], &instances_[high], instances_[low]);
      return true;
    }
    if (high - low < 2) return true;
    const std::size_t middle = (low + high) / 2;
    TRY(known, find_one(middle));
    if (!known) return false;
    TRY_TO(find_between(low, middle));
    return find_between(middle, high);
  }

  const BandQuantiles& peak_;
  const BandQuantiles& of_deployed_;
  double deployed_;
  const FewestFor& fewest_;
  std::array<std::int64_t, kQuantiles> instances_{};
};

Outlook gpus_ahead(const GpuPlan& plan, std::span<const LoadAhead> loads) {
  const double deployed = plan.deployed * static_cast<double>(plan.gpus_per_replica);
  const auto count_for = [&](double used) {
    return std::max(deployed, static_cast<double>(plan.gpus_for(used)));
  };
  Outlook gpus = *loads.front().outlook;
  const std::vector<std::vector<double>> used = used_by_path(loads, plan.known_share);
  for (std::size_t i = 0; i < gpus.horizon(); ++i) {
    double expected = 0;
    for (const LoadAhead& load : loads)
      expected = std::max(expected, load.outlook->point[i] / load.line_at(i));
    gpus.point[i] = count_for(expected);
    for (std::size_t k = 0; k < gpus.paths.size(); ++k) gpus.paths[k][i] = count_for(used[k][i]);
  }
  for (std::size_t i = 0; i < gpus.horizon(); ++i) gpus.bands[i] = gpus.peak(i, i + 1);
  gpus.notes.emplace_back("GPU counts are rounded up to whole GPUs on each path");
  return gpus;
}

// In units of what those deployed carry.
Outlook load_ahead(std::span<const LoadAhead> loads) {
  Outlook used = *loads.front().outlook;
  used.paths = used_by_path(loads);
  return used;
}

// By which those deployed no longer carry the load. The searches behind the number of GPUs and
// behind the lines end a step of their precision apart: then it is the end of the horizon.
Order order_of_gpus(const HistoryRequest& history, const Runway& runway, double end_s,
                    double now_s) {
  const double lead_s = history.lead_time_days * kDayS;
  Order order = order_by(runway, now_s, lead_s, history.cold_start_s, kAcceptedRisk);
  if (order.by_s || !runway.known) return order;
  order.by_s = end_s - lead_s - history.cold_start_s;
  order.late = *order.by_s < now_s;
  return order;
}

/// GPUs needed at each step of each path.
using PathNeeds = std::vector<std::vector<std::int64_t>>;

PathNeeds path_needs(const GpuPlan& plan, std::span<const LoadAhead> loads, std::int64_t spare) {
  PathNeeds needs;
  for (const std::vector<double>& path : used_by_path(loads, plan.known_share)) {
    std::vector<std::int64_t>& steps = needs.emplace_back();
    for (const double used : path) steps.push_back((used > 0 ? plan.gpus_for(used) : 0) + spare);
  }
  return needs;
}

double bill_of(const std::vector<std::int64_t>& steps, std::int64_t reserved, double reserved_usd,
               double on_demand_usd) {
  double beyond = 0;
  for (const std::int64_t gpus : steps)
    beyond += static_cast<double>(std::max<std::int64_t>(0, gpus - reserved));
  return kHoursOfMonth * (static_cast<double>(reserved) * reserved_usd +
                          beyond / static_cast<double>(steps.size()) * on_demand_usd);
}

}  // namespace

// What an instance carries lies between that of those deployed and that at the highest demand. It
// takes no fewer than are known to be needed for less, and no more than are known to hold more.
std::int64_t GpuPlan::gpus_for(double load) const {
  const double highest = peak.back();
  const std::int64_t instances = most.back() / gpus_per_replica;
  double load_per_instance = 1 / deployed;
  if (load > 1 && highest > 1) {
    const double at_highest =
        std::clamp(highest * deployed, static_cast<double>(instances - 1) + 1e-6,
                   static_cast<double>(instances));
    const double share = std::min(1.0, (load - 1) / (highest - 1));
    load_per_instance += share * (highest / at_highest - load_per_instance);
  }
  std::int64_t needed = static_cast<std::int64_t>(std::ceil(load / load_per_instance - 1e-9));
  needed = gpus_per_replica * std::max<std::int64_t>(needed, 1);
  for (std::size_t q = 0; q < kQuantiles; ++q) {
    if (peak[q] <= load) needed = std::max(needed, most[q]);
    if (peak[q] >= load) needed = std::min(needed, most[q]);
  }
  return needed;
}

std::vector<std::vector<double>> used_by_path(std::span<const LoadAhead> loads,
                                              const std::optional<Interval>& known_share) {
  const Outlook& first = *loads.front().outlook;
  std::vector<std::vector<double>> used(first.paths.size(), std::vector<double>(first.horizon()));
  for (const LoadAhead& load : loads) {
    std::optional<Interval> known = load.known_within;
    if (known && known_share) known = scaled(*known_share, load.line);
    const std::vector<double> lines = lines_met(load.line, known, used.size());
    for (std::size_t k = 0; k < used.size(); ++k) {
      for (std::size_t i = 0; i < first.horizon(); ++i) {
        const double line = lines[k] / load.line * load.line_at(i);
        used[k][i] = std::max(used[k][i], load.outlook->paths[k][i] / line);
      }
    }
  }
  return used;
}

Result<GpuPlan> plan_gpus(std::span<const LoadAhead> loads, const Served& served,
                          const FewestFor& fewest, const KnownShare& known_share) {
  GpuPlan plan;
  if (loads.empty()) return plan;
  const std::int64_t each = served.gpus_per_replica();
  plan.gpus_per_replica = each;
  plan.deployed = static_cast<double>(served.replicas());
  const double certain = peak_of(used_by_path(loads, Interval{1, 1}))[kMedianBand];
  if (certain > 0) TRY_SET(plan.known_share, known_share(certain));
  const std::vector<std::vector<double>> used = used_by_path(loads, plan.known_share);
  plan.peak = peak_of(used);
  const BandQuantiles of_deployed = peak_of(used_by_path(loads));
  InstanceNeeds needs(plan.peak, of_deployed, plan.deployed, fewest);
  TRY(known, needs.find());
  if (!known) return plan;
  for (std::size_t q = 0; q < kQuantiles; ++q) plan.most[q] = each * needs.instances()[q];
  const Outlook& first = *loads.front().outlook;
  for (std::size_t i = 0; i < first.horizon(); ++i) {
    const BandQuantiles loads_then =
        quantiles_of(mapped(used, [i](const std::vector<double>& path) { return path[i]; }));
    GpuNeed need{first.time_of(i), {}};
    for (std::size_t q = 0; q < loads_then.size(); ++q)
      need.gpus[q] = std::min(plan.gpus_for(loads_then[q]), plan.most[q]);
    plan.steps.push_back(need);
  }
  const std::int64_t deployed = served.replicas() * each;
  plan.add_gpus = std::max<std::int64_t>(0, plan.most[kNinety] - deployed);
  plan.add_usd_per_month = usd_per_month(served, static_cast<double>(plan.add_gpus));
  return plan;
}

FewestFor fewest_by_tests(const ForecastRequest& request, const HeadroomSheet& headroom,
                          const Served& served, const Execution& execution) {
  const double held = headroom.forecast ? headroom.forecast->line.factor : 0;
  return [&request, &headroom, &served, &execution, held](
             double times, std::int64_t guess) -> Result<std::int64_t> {
    std::vector<Flow> flows = flows_of(request.forecast);
    for (Flow& flow : flows) flow.requests_per_s *= times * held;
    return headroom.gpus_at_slow_end
               ? fewest_at_slow_end(served, flows, request.load, guess, execution)
               : fewest_for(served, flows, request.load, guess, execution);
  };
}

KnownShare share_by_tests(const ForecastRequest& request, const HeadroomSheet& headroom,
                          const Served& served, const Execution& execution) {
  return
      [&request, &headroom, &served, &execution](double times) -> Result<std::optional<Interval>> {
        if (!headroom.forecast || !headroom.forecast->judged) return std::nullopt;
        const double held = headroom.forecast->line.factor;
        Situation then;
        then.flows = flows_of(request.forecast);
        for (Flow& flow : then.flows) flow.requests_per_s *= times * held;
        const Interval of_deployed = scaled(*headroom.forecast->judged, 1 / held);
        const double slow = std::max(of_deployed.low, 1.0 / kMostWithLongerSteps);
        const auto guess =
            std::llround(std::ceil(times / slow * static_cast<double>(served.replicas())));
        TRY(replicas, fewest_at_slow_end(served, then.flows, request.load, guess, execution));
        const bool is_enough = replicas > 0;
        if (!is_enough)
          TRY_SET(replicas, fewest_for(served, then.flows, request.load, guess, execution));
        if (replicas == 0 || replicas == served.replicas())
          return Interval{is_enough ? of_deployed.low : 0, of_deployed.high};
        then.served = served.with_replicas(replicas);
        then.peak.emplace();
        TRY_TO(find_peak_line(request.load, {}, execution, &then));
        TRY_TO(judge_peak(request.load, false, execution, &then));
        if (!then.peak->judged || then.peak->line.factor <= 0) return std::nullopt;
        Interval share = scaled(*then.peak->judged, 1 / then.peak->line.factor);
        if (!is_enough) share.low = 0;
        return share;
      };
}

std::vector<RunwayRow> gpu_rows(const ForecastRequest& request, const DemandHistory& history,
                                std::span<const DemandOutlook> outlooks,
                                const HeadroomSheet& headroom, const Served& served,
                                std::span<const LoadAhead> loads, const RunwaySheet& sheet) {
  std::vector<RunwayRow> rows;
  if (sheet.gpu_plan.steps.empty()) return rows;
  const Outlook gpus = gpus_ahead(sheet.gpu_plan, loads);
  for (const SheetRow& line : headroom.rows) {
    if (!line.capacity || !is_found_by_gpus(line.resource, outlooks, headroom)) continue;
    if (line.resource == Resource::gpus) {
      rows.push_back(runway_row(request, line, {gpus, true}, sheet));
      continue;
    }
    const double each = usd_per_month(served, 1).value_or(0);
    ResourceOutlook usd{in_proportion(gpus, each, each), true};
    if (const auto bill = bill_ahead(history, &usd.outlook, *line.capacity))
      usd = {*bill, false, bill->usual.back()};
    rows.push_back(runway_row(request, line, std::move(usd), sheet));
  }
  return rows;
}

void settle_orders(const ForecastRequest& request, std::span<const LoadAhead> loads,
                   RunwaySheet* sheet) {
  GpuPlan& plan = sheet->gpu_plan;
  if (plan.steps.empty() || loads.empty()) return;
  const Outlook used = load_ahead(loads);
  plan.runway = crossing(used, 1);
  if (plan.add_gpus > 0)
    plan.order =
        order_of_gpus(request.history, plan.runway, used.time_of(used.horizon()), sheet->now_s);
  for (RunwayRow& row : sheet->rows) {
    row.by_gpus = std::ranges::any_of(loads, [&](const LoadAhead& load) {
      return load.outlook == &row.outlook && !load.is_limited;
    });
    if (row.by_gpus && plan.add_gpus == 0) row.order = {};
  }
}

void date_levers(std::span<const LoadAhead> loads, double now_held,
                 std::vector<LeverResult>* levers) {
  if (loads.empty() || now_held <= 0) return;
  const Outlook used = load_ahead(loads);
  for (LeverResult& lever : *levers) {
    std::optional<Interval> within;
    if (const auto& more = lever.more_interval)
      within = Interval{1 + more->low / now_held, 1 + more->high / now_held};
    lever.runway = crossing(used, lever.line.factor / now_held, within);
  }
}

std::optional<ReservePlan> plan_reserve(const GpuPlan& plan, std::span<const LoadAhead> loads,
                                        double reserved_usd, double on_demand_usd,
                                        std::int64_t spare) {
  if (plan.steps.empty() || loads.empty() || loads.front().outlook->too_short) return std::nullopt;
  const PathNeeds needs = path_needs(plan, loads, spare);
  if (needs.empty()) return std::nullopt;
  std::vector<std::int64_t> all;
  for (const auto& steps : needs) all.insert(all.end(), steps.begin(), steps.end());
  std::ranges::sort(all);
  const double share = std::max(0.0, 1 - reserved_usd / on_demand_usd);
  const auto place = static_cast<std::size_t>(share * static_cast<double>(all.size()));
  ReservePlan best;
  best.spare = spare;
  best.gpus = share > 0 ? all[std::min(place, all.size() - 1)] : 0;
  std::vector<double> bills;
  std::vector<double> savings;
  for (const auto& steps : needs) {
    bills.push_back(bill_of(steps, best.gpus, reserved_usd, on_demand_usd));
    savings.push_back(bill_of(steps, 0, reserved_usd, on_demand_usd) - bills.back());
  }
  best.usd_per_month = mean_of(bills);
  best.saving_usd_per_month = mean_of(savings);
  Percentiles<double> saved(std::move(savings));
  best.saving_band = {saved.at(5), saved.at(95)};
  return best;
}

}  // namespace plimsoll
