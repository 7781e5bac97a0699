#include "planner/capacity.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/parallel.h"

namespace plimsoll {
namespace {

class StopMonitor final : public Monitor {
 public:
  explicit StopMonitor(const Execution& execution) : execution_(execution) {}
  bool keep_going(const Progress&) override { return execution_.keep_going(); }

 private:
  const Execution& execution_;
};

struct Asked {
  double rate_rps = 0;
  std::int32_t instances = 0;
};

/// All tests of a round. Interrupted ones are left out.
Result<std::vector<LoadProbe>> run_round(const ProbedSystem& system, std::span<const Asked> asked,
                                         const ProbeEffort& effort, const Execution& execution) {
  std::vector<std::optional<Result<LoadProbe>>> results(asked.size());
  std::mutex one_at_a_time;
  const auto test = [&](std::size_t i) {
    ProbedSystem with = system;
    with.deployment.num_instances = asked[i].instances;
    StopMonitor monitor(execution);
    results[i] = probe_load(with, asked[i].rate_rps, effort, &monitor);
    if (!*results[i] || (*results[i])->interrupted) return;
    const std::lock_guard lock(one_at_a_time);
    execution.tested(**results[i]);
  };
  for_each_in_parallel(asked.size(), execution.threads, test, execution.keep_going);
  std::vector<LoadProbe> tests;
  for (auto& result : results) {
    if (!result) continue;
    if (!*result) return pass_on(*result);
    if (!(*result)->interrupted) tests.push_back(std::move(**result));
  }
  return tests;
}

void append(std::vector<LoadProbe> more, std::vector<LoadProbe>* all) {
  for (LoadProbe& test : more) all->push_back(std::move(test));
}

}  // namespace

const LoadProbe& RateAnswer::at(double rate_rps) const {
  return *std::ranges::find(tests, rate_rps, &LoadProbe::rate_rps);
}

const LoadProbe* InstancesAnswer::of(std::int64_t wanted) const {
  const auto at = std::ranges::find(tests, wanted, &LoadProbe::instances);
  return at == tests.end() ? nullptr : &*at;
}

Result<RateAnswer> sustainable_rate(const ProbedSystem& system, const RateSearchOptions& options,
                                    const ProbeEffort& effort, const Execution& execution) {
  RateSearch search(options);
  RateAnswer answer;
  for (std::vector<double> rates = search.next(); !rates.empty(); rates = search.next()) {
    std::vector<Asked> asked;
    for (const double rate : rates) asked.push_back({rate, system.deployment.num_instances});
    auto tests = run_round(system, asked, effort, execution);
    if (!tests) return pass_on(tests);
    for (const LoadProbe& test : *tests) search.tell(test.rate_rps, test.answer);
    append(std::move(*tests), &answer.tests);
    answer.interrupted = !execution.keep_going();
    if (answer.interrupted) break;
  }
  answer.good_rps = search.good();
  answer.bad_rps = search.bad();
  std::ranges::sort(answer.tests, {}, &LoadProbe::rate_rps);
  return answer;
}

Result<InstancesAnswer> fewest_instances(
    const ProbedSystem& system, double rate_rps, const MinimumSearchOptions& options,
    const ProbeEffort& effort, const Execution& execution,
    const std::function<std::vector<std::int64_t>(std::int64_t)>& also) {
  MinimumSearch search(options);
  InstancesAnswer answer;
  const auto test_all = [&](const std::vector<std::int64_t>& numbers) -> Result<void> {
    std::vector<Asked> asked;
    for (const std::int64_t n : numbers) asked.push_back({rate_rps, static_cast<std::int32_t>(n)});
    auto tests = run_round(system, asked, effort, execution);
    if (!tests) return pass_on(tests);
    for (const LoadProbe& test : *tests) search.tell(test.instances, test.answer);
    append(std::move(*tests), &answer.tests);
    answer.interrupted = !execution.keep_going();
    return {};
  };
  for (auto numbers = search.next(); !numbers.empty() && !answer.interrupted;
       numbers = search.next()) {
    if (auto done = test_all(numbers); !done) return pass_on(done);
  }
  answer.instances = search.good();
  answer.too_few = search.bad();
  if (answer.instances > 0 && !answer.interrupted) {
    std::vector<std::int64_t> more = also(answer.instances);
    std::erase_if(more, [&](std::int64_t n) { return answer.of(n) != nullptr; });
    if (auto done = test_all(more); !done) return pass_on(done);
  }
  std::ranges::sort(answer.tests, {}, &LoadProbe::instances);
  return answer;
}

}  // namespace plimsoll
