#include "planner/capacity.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "planner/model_range.h"

namespace plimsoll {
namespace {

class StopMonitor final : public Monitor {
 public:
  explicit StopMonitor(const Execution& execution) : execution_(execution) {}
  bool keep_going(const Progress&) override { return execution_.keep_going(); }

 private:
  const Execution& execution_;
};

void append(std::vector<std::pair<std::size_t, LoadProbe>> more, std::vector<LoadProbe>* all) {
  for (auto& [job, probe] : more) all->push_back(std::move(probe));
}

}  // namespace

Result<std::vector<std::pair<std::size_t, LoadProbe>>> run_probes(const std::vector<ProbeJob>& jobs,
                                                                  const Execution& execution) {
  std::vector<std::optional<Result<LoadProbe>>> results(jobs.size());
  std::mutex one_at_a_time;
  const auto run = [&](std::size_t i) {
    ProbedSystem system = jobs[i].step_factor == 1
                              ? *jobs[i].system
                              : with_longer_steps(*jobs[i].system, jobs[i].step_factor);
    system.deployment.num_instances = jobs[i].instances;
    StopMonitor monitor(execution);
    results[i] = probe_load(system, jobs[i].rate_rps, jobs[i].effort, &monitor);
    if (!*results[i] || (*results[i])->interrupted) return;
    const std::lock_guard lock(one_at_a_time);
    execution.tested(jobs[i], **results[i]);
  };
  for_each_in_parallel(jobs.size(), execution.threads, run, execution.keep_going);
  std::vector<std::pair<std::size_t, LoadProbe>> probes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    if (!*results[i]) return pass_on(*results[i]);
    if (!(*results[i])->interrupted) probes.emplace_back(i, std::move(**results[i]));
  }
  return probes;
}

const LoadProbe* RateAnswer::at(double rate_rps) const {
  const auto at = std::ranges::find(tests, rate_rps, &LoadProbe::rate_rps);
  return at == tests.end() ? nullptr : &*at;
}

const LoadProbe* InstancesAnswer::of(std::int64_t wanted) const {
  const auto at = std::ranges::find(tests, wanted, &LoadProbe::instances);
  return at == tests.end() ? nullptr : &*at;
}

ProbeJob idle_job(const ProbedSystem& system, double idle_rps, ProbeEffort effort) {
  if (effort.first_requests < effort.most_requests) effort.first_requests = 0;
  return {&system, idle_rps, 1, effort};
}

Result<RateAnswer> sustainable_rate(const ProbedSystem& system, const RateSearchOptions& options,
                                    const ProbeEffort& effort, const Execution& execution) {
  RateSearch search(options);
  RateAnswer answer;
  for (std::vector<double> rates = search.next(); !rates.empty(); rates = search.next()) {
    std::vector<ProbeJob> jobs;
    for (const double rate : rates) {
      jobs.push_back({&system, rate, system.deployment.num_instances, effort});
    }
    auto tests = run_probes(jobs, execution);
    if (!tests) return pass_on(tests);
    for (const auto& [job, test] : *tests) search.tell(test.rate_rps, test.answer);
    append(std::move(*tests), &answer.tests);
    answer.interrupted = !execution.keep_going();
    if (answer.interrupted) break;
  }
  answer.good_rps = search.good();
  answer.bad_rps = search.bad();
  std::ranges::sort(answer.tests, {}, &LoadProbe::rate_rps);
  return answer;
}

Result<InstancesAnswer> fewest_instances(const ProbedSystem& system, double rate_rps,
                                         double idle_rps, const MinimumSearchOptions& options,
                                         const ProbeEffort& effort, const Execution& execution) {
  MinimumSearch search(options);
  InstancesAnswer answer;
  const auto test_all = [&](const std::vector<std::int64_t>& numbers) -> Result<void> {
    std::vector<ProbeJob> jobs;
    for (const std::int64_t n : numbers) {
      jobs.push_back({&system, rate_rps, static_cast<std::int32_t>(n), effort});
    }
    auto tests = run_probes(jobs, execution);
    if (!tests) return pass_on(tests);
    for (const auto& [job, test] : *tests) search.tell(test.instances, test.answer);
    append(std::move(*tests), &answer.tests);
    answer.interrupted = !execution.keep_going();
    return {};
  };
  const auto test_idle = [&]() -> Result<void> {
    auto tests = run_probes({idle_job(system, idle_rps, effort)}, execution);
    if (!tests) return pass_on(tests);
    answer.interrupted = tests->empty();
    if (tests->empty()) return {};
    answer.idle = std::move(tests->front().second);
    search.tell_idle(answer.idle->answer);
    return {};
  };
  for (auto numbers = search.next(); !answer.interrupted; numbers = search.next()) {
    if (numbers.empty() && !search.asks_idle()) break;
    auto done = search.asks_idle() ? test_idle() : test_all(numbers);
    if (!done) return pass_on(done);
  }
  answer.instances = search.good();
  answer.too_few = search.bad();
  std::ranges::sort(answer.tests, {}, &LoadProbe::instances);
  return answer;
}

}  // namespace plimsoll
