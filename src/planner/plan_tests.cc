#include "planner/plan_tests.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/answer_error.h"
#include "planner/estimate.h"
#include "planner/probe_record.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kLongestFactor = 4;

// More instances than the load fills have no more requests under way.
std::int64_t busy_instances(const OpenCandidate& open, double rate_rps, std::int64_t replicas) {
  const Candidate& c = open.result->candidate;
  const CapacityEstimate estimate = open.deployed->estimate_of(c, replicas);
  if (c.mixes()) {
    const auto all = static_cast<double>(c.instances(replicas));
    return std::llround(std::ceil(all * std::min(1.0, rate_rps / estimate.rate_rps)));
  }
  const double full = std::ceil(rate_rps / estimate.rate_rps);
  return c.instances(std::llround(std::min(full, static_cast<double>(replicas))));
}

}  // namespace

ProbeJob PlanTests::job(const OpenCandidate& open, double rate_rps, std::int64_t replicas) const {
  ProbeJob job;
  job.system = &open.deployed->system;
  job.rate_rps = rate_rps;
  job.instances = static_cast<std::int32_t>(open.result->candidate.instances(replicas));
  job.tag = static_cast<std::int64_t>(open.index);
  const double warmup_s = request_.warmup_s.value_or(0);
  const auto not_counted = static_cast<std::int64_t>(std::ceil(rate_rps * warmup_s));
  const double set_aside_s = request_.warmup_s ? 0 : kUsualWarmupS;
  const double asked = std::min(rate_rps * (request_.duration_s + set_aside_s), 1e8);
  const std::int64_t counted = std::max<std::int64_t>(
      std::llround(asked),
      requests_to_settle(open.deployed->estimate_of(open.result->candidate, replicas),
                         busy_instances(open, rate_rps, replicas)));
  const std::int64_t fewest = fewest_requests(open.deployed->system.slos);
  job.effort.warmup_s = warmup_s;
  job.effort.share = share_to_simulate(open.deployed->estimate, counted);
  job.effort.first_requests = not_counted + (not_counted > 0 ? std::max(counted, fewest) : counted);
  job.effort.most_requests = not_counted + kLongestFactor * std::max(counted, fewest);
  return job;
}

ProbeJob PlanTests::settled_job(const OpenCandidate& open, double rate_rps, std::int64_t replicas,
                                double step_factor) const {
  ProbeJob job = this->job(open, rate_rps, replicas);
  job.step_factor = step_factor;
  if (job.effort.warmup_s <= 0)
    job.effort = effort_to_settle(open.deployed->estimate_of(open.result->candidate, replicas),
                                  job.instances);
  if (step_factor != 1)
    job.effort = effort_with_longer_steps(job.effort, step_factor, job.system->slos);
  return job;
}

ProbeJob PlanTests::idle_job_of(const OpenCandidate& open) const {
  const double rate = alone_rps(open.deployed->estimate);
  ProbeJob job = idle_job(open.deployed->system, rate, this->job(open, rate, 1).effort);
  job.tag = static_cast<std::int64_t>(open.index);
  return job;
}

// Candidates count from 1, in the order of the space.
std::string PlanTests::unit_of_test(const ProbeJob& job) const {
  return unit_of(request_.place, job.tag + 1, job);
}

std::optional<LoadProbe> PlanTests::journaled(const ProbeJob& job) const {
  const auto known = journal_ != nullptr ? journal_->find(unit_of_test(job)) : std::nullopt;
  return known ? read_probe(*known) : std::nullopt;
}

Result<NumberedProbes> PlanTests::run(const std::vector<ProbeJob>& jobs) {
  NumberedProbes probes;
  std::vector<ProbeJob> missing;
  std::vector<std::size_t> numbers;  // in `jobs`
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ProbeJob& job = jobs[i];
    if (const auto done = done_.find(key_of(job)); done != done_.end()) {
      probes.emplace_back(i, done->second);
    } else if (auto known = journaled(job)) {
      probes.emplace_back(i, std::move(*known));
    } else {
      missing.push_back(job);
      numbers.push_back(i);
    }
  }
  Execution execution = execution_;
  execution.tested = [this](const ProbeJob& job, const LoadProbe& probe) {
    if (journal_ != nullptr) journal_->add({unit_of_test(job), json_of_probe(probe)});
    execution_.tested(job, probe);
  };
  TRY(tested, run_probes(missing, execution));
  for (auto& [job, probe] : tested) probes.emplace_back(numbers[job], std::move(probe));
  std::ranges::sort(probes, {}, &std::pair<std::size_t, LoadProbe>::first);
  for (const auto& [number, probe] : probes) done_.try_emplace(key_of(jobs[number]), probe);
  return probes;
}

}  // namespace plimsoll
