#include "planner/plan_tests.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

constexpr std::int64_t kLongestFactor = 10;

// From 1, in the order of the space.
std::int64_t id_of(const ProbeJob& job) { return job.tag + 1; }

}  // namespace

ProbeJob PlanTests::job(const OpenCandidate& open, double rate_rps, std::int64_t replicas) const {
  ProbeJob job;
  job.system = &open.deployed->system;
  job.rate_rps = rate_rps;
  job.instances = static_cast<std::int32_t>(replicas);
  job.tag = static_cast<std::int64_t>(open.index);
  // More replicas than the load fills have no more requests under way.
  const double full = std::ceil(rate_rps / open.deployed->estimate.rate_rps);
  const auto busy = static_cast<std::int64_t>(std::min(full, static_cast<double>(replicas)));
  const double asked = rate_rps * (request_.duration_s + request_.warmup_s);
  job.effort.first_requests =
      std::max(std::llround(std::min(asked, 1e8)),
               static_cast<long long>(requests_to_settle(open.deployed->estimate, busy)));
  job.effort.most_requests = kLongestFactor * std::max(job.effort.first_requests,
                                                       fewest_requests(open.deployed->system.slos));
  return job;
}

ProbeJob PlanTests::idle_job_of(const OpenCandidate& open) const {
  const double rate = kIdleShare * open.deployed->estimate.rate_rps;
  ProbeJob job = idle_job(open.deployed->system, rate, this->job(open, rate, 1).effort);
  job.tag = static_cast<std::int64_t>(open.index);
  return job;
}

Result<NumberedProbes> PlanTests::run(const std::vector<ProbeJob>& jobs) {
  NumberedProbes probes;
  std::vector<ProbeJob> missing;
  std::vector<std::size_t> numbers;  // in `jobs`
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ProbeJob& job = jobs[i];
    const LoadProbe* known =
        journal_ == nullptr ? nullptr : journal_->find(request_.place, id_of(job), job);
    if (known != nullptr) {
      probes.emplace_back(i, *known);
    } else {
      missing.push_back(job);
      numbers.push_back(i);
    }
  }
  Execution execution = execution_;
  execution.tested = [this](const ProbeJob& job, const LoadProbe& probe) {
    if (journal_ != nullptr) journal_->add({id_of(job), job.step_factor, probe, request_.place});
    execution_.tested(job, probe);
  };
  auto tested = run_probes(missing, execution);
  if (!tested) return pass_on(tested);
  for (auto& [job, probe] : *tested) probes.emplace_back(numbers[job], std::move(probe));
  std::ranges::sort(probes, {}, &std::pair<std::size_t, LoadProbe>::first);
  count_ += std::ssize(probes);
  return probes;
}

}  // namespace plimsoll
