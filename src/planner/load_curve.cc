#include "planner/load_curve.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll {
namespace {

// Of the rate: nearly idle, two on the way, and the rate itself.
constexpr std::array kShares{0.1, 0.4, 0.7, 1.0};
constexpr double kNear = 0.15;  // of the highest rate

// So that latencies are those of a system that has filled up, and no more than that.
ProbeEffort brief_effort(const CapacityEstimate& estimate, std::int64_t instances, double share) {
  constexpr double kOfSettling = 1.0 / 40;
  constexpr std::int64_t kFewest = 1000;
  constexpr std::int64_t kMost = 20'000;
  ProbeEffort effort = effort_to_settle(estimate, instances);
  const auto to_settle = static_cast<double>(requests_to_settle(estimate, instances));
  effort.first_requests = effort.most_requests =
      std::clamp(static_cast<std::int64_t>(share * kOfSettling * to_settle), kFewest, kMost);
  return effort;
}

void sort_by_rate(std::vector<LoadProbe>* tests) {
  std::ranges::sort(*tests, {}, &LoadProbe::rate_rps);
}

}  // namespace

bool is_near_any(const std::vector<LoadProbe>& tests, double rate_rps, double highest_rps) {
  return std::ranges::any_of(tests, [&](const LoadProbe& test) {
    return std::fabs(test.rate_rps - rate_rps) < kNear * highest_rps;
  });
}

Result<std::vector<LoadProbe>> brief_tests(const ProbedSystem& system, std::int32_t instances,
                                           double rate_rps, const CapacityEstimate& estimate,
                                           const std::vector<LoadProbe>& tests,
                                           const Execution& execution) {
  std::vector<ProbeJob> jobs;
  for (const double share : kShares) {
    const double rate = share * rate_rps;
    if (!is_near_any(tests, rate, rate_rps))
      jobs.push_back({&system, rate, instances, brief_effort(estimate, instances, share)});
  }
  TRY(found, run_probes(jobs, execution));
  return without_numbers(std::move(found));
}

std::vector<LoadProbe> curve_tests(const CapacityAnswer& answer) {
  if (answer.rate) return answer.rate->tests;
  std::vector<LoadProbe> tests;
  if (answer.spare) tests = answer.spare->tests;
  std::erase_if(tests, [&](const LoadProbe& t) { return t.rate_rps == answer.rate_rps; });
  tests.push_back(*answer.best());
  sort_by_rate(&tests);
  return tests;
}

std::vector<LoadProbe> curve_tests(const Plan& plan) {
  if (!plan.headroom) return plan.best_probes;
  std::vector<LoadProbe> tests = plan.headroom->tests;
  for (const LoadProbe& test : plan.best_probes) {
    const auto is_alike = [&](const LoadProbe& t) { return t.instances == test.instances; };
    const auto is_same = [&](const LoadProbe& t) { return t.rate_rps == test.rate_rps; };
    const CandidateResult& best = plan.candidates[*plan.best];
    const bool is_of_fleet = tests.empty() ? test.instances == best.at_good->instances
                                           : std::ranges::all_of(tests, is_alike);
    if (is_of_fleet && std::ranges::none_of(tests, is_same)) tests.push_back(test);
  }
  sort_by_rate(&tests);
  return tests;
}

Result<std::vector<LoadProbe>> brief_tests(const Plan& plan, const Deploy& deploy,
                                           const Execution& execution) {
  if (!plan.best) return std::vector<LoadProbe>();
  const CandidateResult& best = plan.candidates[*plan.best];
  const std::vector<LoadProbe> tests = curve_tests(plan);
  if (tests.empty()) return std::vector<LoadProbe>();
  TRY(deployed, deploy(best.candidate));
  return brief_tests(deployed.system, tests.front().instances, best.good_rps,
                     deployed.estimate_of(best.candidate, best.candidate.replicas), tests,
                     execution);
}

}  // namespace plimsoll
