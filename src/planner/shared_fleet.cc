#include "planner/shared_fleet.h"

namespace plimsoll {
namespace {

constexpr double kCent = 1e-9;  // sums of dollars are not exact

bool is_within(const FleetChoice& sum, const FleetCaps& caps) {
  return (!caps.gpus || sum.gpus <= *caps.gpus) &&
         (!caps.usd_per_hour || sum.usd_per_hour <= *caps.usd_per_hour + kCent);
}

// By GPUs; each costs less than all that take fewer.
void keep_unbeaten(std::vector<FleetChoice>* sums) {
  std::ranges::stable_sort(
      *sums, {}, [](const FleetChoice& sum) { return std::pair(sum.gpus, sum.usd_per_hour); });
  std::vector<FleetChoice> kept;
  for (FleetChoice& sum : *sums) {
    if (kept.empty() || sum.usd_per_hour < kept.back().usd_per_hour) kept.push_back(std::move(sum));
  }
  *sums = std::move(kept);
}

// Every sum with every option of one more model, as far as it is within the caps.
std::vector<FleetChoice> with_model(const std::vector<FleetChoice>& sums,
                                    const std::vector<FleetOption>& options,
                                    const FleetCaps& caps) {
  std::vector<FleetChoice> more;
  for (const FleetChoice& sum : sums) {
    for (const FleetOption& option : options) {
      FleetChoice next = sum;
      next.chosen.emplace_back(option);
      next.gpus += option.gpus;
      next.usd_per_hour += option.usd_per_hour;
      if (is_within(next, caps)) more.push_back(std::move(next));
    }
  }
  keep_unbeaten(&more);
  return more;
}

}  // namespace

bool FleetChoice::is_complete() const {
  return std::ranges::all_of(chosen, [](const auto& option) { return option.has_value(); });
}

std::vector<FleetOption> fleet_options(const Plan& plan) {
  std::vector<FleetOption> options;
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const CandidateResult& r = plan.candidates[i];
    if (r.fate != Fate::feasible) continue;
    options.push_back({i, r.candidate.total_gpus(), r.usd_per_hour});
  }
  return options;
}

FleetChoice choose_fleet(const std::vector<std::vector<FleetOption>>& models, const FleetCaps& caps,
                         bool gpus_first) {
  std::vector<FleetChoice> sums(1);
  for (const std::vector<FleetOption>& options : models) {
    std::vector<FleetChoice> more = with_model(sums, options, caps);
    if (!more.empty()) {
      sums = std::move(more);
      continue;
    }
    for (FleetChoice& sum : sums) sum.chosen.emplace_back();
  }
  return *std::ranges::min_element(sums, {}, [gpus_first](const FleetChoice& sum) {
    const auto gpus = static_cast<double>(sum.gpus);
    return gpus_first ? std::pair(gpus, sum.usd_per_hour) : std::pair(sum.usd_per_hour, gpus);
  });
}

}  // namespace plimsoll
