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
  const double warmup_s = request_.warmup_s.value_or(0);
  const auto not_counted = static_cast<std::int64_t>(std::ceil(rate_rps * warmup_s));
  const double set_aside_s = request_.warmup_s ? 0 : kUsualWarmupS;
  const double asked = std::min(rate_rps * (request_.duration_s + set_aside_s), 1e8);
  const std::int64_t counted = std::max<std::int64_t>(
      std::llround(asked), requests_to_settle(open.deployed->estimate, busy));
  const std::int64_t fewest = fewest_requests(open.deployed->system.slos);
  job.effort.warmup_s = warmup_s;
  job.effort.first_requests = not_counted + (not_counted > 0 ? std::max(counted, fewest) : counted);
  job.effort.most_requests = not_counted + kLongestFactor * std::max(counted, fewest);
  return job;
}

ProbeJob PlanTests::idle_job_of(const OpenCandidate& open) const {
  const double rate = alone_rps(open.deployed->estimate);
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
  TRY(tested, run_probes(missing, execution));
  for (auto& [job, probe] : tested) probes.emplace_back(numbers[job], std::move(probe));
  std::ranges::sort(probes, {}, &std::pair<std::size_t, LoadProbe>::first);
  count_ += std::ssize(probes);
  return probes;
}

}  // namespace plimsoll
