#include "planner/capacity.h"

#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/lists.h"
#include "base/parallel.h"
#include "engine/ranks.h"
#include "planner/answer_error.h"

namespace plimsoll {
namespace {

// Of each step the shortest that any of the pools makes of it, all of it on one rank.
class FastestSteps final : public StepTimeModel {
 public:
  explicit FastestSteps(const std::vector<Pool>& pools) {
    for (const Pool& pool : pools) of_pools_.push_back({pool.step_time, pool.ranks});
  }

  double step_us(const BatchShape& batch) const override {
    return least([&](const OfPool& pool) {
      if (pool.ranks == 1) return pool.steps->step_us(batch);
      std::vector<BatchShape> ranks(static_cast<std::size_t>(pool.ranks));
      ranks.front() = batch;
      return pool.steps->ranks_us(ranks);
    });
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return least([&](const OfPool& pool) { return pool.steps->queueing_us(input_tokens); });
  }
  double output_token_us() const override {
    return least([](const OfPool& pool) { return pool.steps->output_token_us(); });
  }
  double post_decode_us() const override {
    return least([](const OfPool& pool) { return pool.steps->post_decode_us(); });
  }

 private:
  struct OfPool {
    StepTimePtr steps;
    std::int64_t ranks = 1;
  };
  template <class Us>
  double least(const Us& us) const {
    double least = us(of_pools_.front());
    for (const OfPool& pool : of_pools_) least = std::fmin(least, us(pool));
    return least;
  }

  std::vector<OfPool> of_pools_;
};

// With the limits of the pool that has the larger ones: what one serves, or serves at once, this
// one does.
void take_limits(const EngineConfig& other, EngineConfig* own) {
  const auto take_larger = [&](auto EngineConfig::*limit) {
    own->*limit = std::max(own->*limit, other.*limit);
  };
  take_larger(&EngineConfig::max_num_seqs);
  take_larger(&EngineConfig::max_num_batched_tokens);
  take_larger(&EngineConfig::total_kv_blocks);
  // 0: requests of any length.
  const bool any_length = own->max_model_len == 0 || other.max_model_len == 0;
  own->max_model_len = any_length ? 0 : std::max(own->max_model_len, other.max_model_len);
}

// For pools that serve side by side: an instance that serves a request that is alone as fast as the
// fastest of them, step by step. It has one rank, because such a request is on one. The pools have
// one batching rule and one block size.
Pool fastest_of(const std::vector<Pool>& pools) {
  Pool fastest = pools.front();
  fastest.step_time = std::make_shared<FastestSteps>(pools);
  fastest.engine = share_of(fastest.engine, fastest.ranks);
  fastest.ranks = 1;
  for (const Pool& pool : pools) take_limits(share_of(pool.engine, pool.ranks), &fastest.engine);
  fastest.num_instances = 1;
  fastest.has_fixed_size = false;
  return fastest;
}

class StopMonitor final : public Monitor {
 public:
  explicit StopMonitor(const Execution& execution) : execution_(execution) {}
  bool keep_going(const Progress&) override { return execution_.keep_going(); }

 private:
  const Execution& execution_;
};

class OneByOne final : public RequestSource {
 public:
  /// Those that arrive up to the horizon.
  OneByOne(std::unique_ptr<RequestSource> source, Time horizon, Duration gap)
      : source_(std::move(source)), horizon_(horizon), gap_(gap) {}

  bool next(Request* request) override {
    if (!source_->next(request) || request->arrival > horizon_) return false;
    if (request->deadline != kNever) {
      request->deadline = next_ + (request->deadline - request->arrival);
    }
    request->arrival = next_;
    next_ = next_ + gap_;
    return true;
  }

  const Labels& labels() const override { return source_->labels(); }

 private:
  std::unique_ptr<RequestSource> source_;
  Time horizon_;
  Duration gap_;
  Time next_;
};

// Where some prompts stay with their answer, a loaded system may serve each in either way. Alone, a
// prompt that stays is served as fast as one that is sent, if all pools are alike: the same steps,
// and nothing travels.
std::string fastest_alone(const Deployment& deployment) {
  const Disaggregation& d = deployment.disaggregation;
  const Pool& first = deployment.pools.front();
  const bool alike = std::ranges::all_of(deployment.pools, [&](const Pool& pool) {
    return pool.gpu == first.gpu && pool.gpus == first.gpus;
  });
  return d.decider == "always" || !alike ? d.decider : "never";
}

// The one that says most against it; null if all hold.
const LoadProbe* against(const std::vector<LoadProbe>& others) {
  for (const Answer answer : {Answer::fails, Answer::unclear}) {
    const auto at = std::ranges::find(others, answer, &LoadProbe::answer);
    if (at != others.end()) return &*at;
  }
  return nullptr;
}

}  // namespace

std::vector<LoadProbe> without_numbers(NumberedProbes numbered) {
  std::vector<LoadProbe> probes;
  for (auto& [job, probe] : numbered) probes.push_back(std::move(probe));
  return probes;
}

Result<NumberedProbes> run_probes(const std::vector<ProbeJob>& jobs, const Execution& execution) {
  if (jobs.empty() || !execution.may_test()) return NumberedProbes{};
  std::vector<std::optional<Result<LoadProbe>>> results(jobs.size());
  std::mutex one_at_a_time;
  const auto run = [&](std::size_t i) {
    ProbedSystem system = jobs[i].step_factor == 1
                              ? *jobs[i].system
                              : with_longer_steps(*jobs[i].system, jobs[i].step_factor);
    system.deployment = jobs[i].alone ? with_one_of_each(std::move(system.deployment))
                                      : resized(std::move(system.deployment), jobs[i].instances);
    if (jobs[i].draw > 0)
      system.load = system.other_loads[static_cast<std::size_t>(jobs[i].draw) - 1];
    if (jobs[i].alone) system = alone(std::move(system));
    StopMonitor monitor(execution);
    results[i] = probe_load(system, jobs[i].rate_rps, jobs[i].effort, &monitor);
    if (*results[i]) (*results[i])->draw = jobs[i].draw;
    if (!*results[i] || (*results[i])->interrupted) return;
    const std::lock_guard lock(one_at_a_time);
    execution.tested(jobs[i], **results[i]);
  };
  for_each_in_parallel(jobs.size(), execution.threads, run, execution.keep_going);
  NumberedProbes probes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    if (!*results[i]) return pass_on(*results[i]);
    if (!(*results[i])->interrupted) probes.emplace_back(i, std::move(**results[i]));
  }
  return probes;
}

const LoadProbe* RateAnswer::at(double rate_rps) const {
  return find_in(tests, rate_rps, &LoadProbe::rate_rps);
}

std::int64_t groups_of(const Deployment& deployment) {
  std::int64_t groups = 0;
  for (const Pool& pool : deployment.pools)
    groups = std::gcd(groups, std::int64_t{pool.num_instances});
  return groups;
}

const LoadProbe* InstancesAnswer::of(std::int64_t count) const {
  return find_in(tests, count * group, &LoadProbe::instances);
}

ProbeJob idle_job(const ProbedSystem& system, double idle_rps, ProbeEffort effort) {
  if (effort.first_requests < effort.most_requests) effort.first_requests = 0;
  const Deployment& deployment = system.deployment;
  const auto instances =
      static_cast<std::int32_t>(deployment.splits() ? deployment.pools.size() : 1);
  ProbeJob job{&system, idle_rps, instances, effort};
  job.alone = true;
  return job;
}

Result<RateAnswer> sustainable_rate(const ProbedSystem& system, const RateSearchOptions& options,
                                    const ProbeEffort& effort, const Execution& execution) {
  const auto job_of = [&](double rate) {
    return ProbeJob{&system, rate, system.deployment.num_instances(), effort};
  };
  RateSearch search(options);
  RateAnswer answer;
  for (;;) {
    const std::vector<ProbeJob> jobs = next_jobs(search, answer.tests, job_of);
    if (jobs.empty() || answer.interrupted) break;
    TRY(tests, run_probes(jobs, execution));
    answer.simulations += std::ssize(tests);
    take_tests(without_numbers(std::move(tests)), jobs.size(), &search, &answer.tests);
    answer.interrupted = !execution.keep_going();
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
  const auto job_of = [&](std::int64_t n) {
    return ProbeJob{&system, rate_rps,
                    static_cast<std::int32_t>(options.beside + n * options.instances), effort};
  };
  while (!answer.interrupted) {
    const bool idle = search.asks_idle();
    const std::vector<ProbeJob> jobs = idle ? std::vector{idle_job(system, idle_rps, effort)}
                                            : next_jobs(search, answer.tests, job_of);
    if (jobs.empty()) break;
    TRY(tests, run_probes(jobs, execution));
    answer.simulations += std::ssize(tests);
    answer.interrupted = !execution.keep_going();
    if (!idle) {
      take_tests(without_numbers(std::move(tests)), jobs.size(), &search, &answer.tests);
    } else if (!tests.empty()) {
      answer.idle = std::move(tests.front().second);
      search.tell_idle(answer.idle->answer);
    } else {
      answer.interrupted = true;
    }
  }
  answer.group = options.instances;
  answer.instances = search.good();
  answer.too_few = search.bad();
  std::ranges::sort(answer.tests, {}, &LoadProbe::instances);
  return answer;
}

ProbedSystem alone(ProbedSystem system) {
  Deployment& deployment = system.deployment;
  system.prefixes_are_cached = true;
  system.one_by_one = true;
  deployment.disaggregation.decider = fastest_alone(deployment);
  if (!deployment.splits() && deployment.pools.size() > 1) {
    deployment.pools = {fastest_of(deployment.pools)};
  }
  system.load = [load = std::move(system.load)](double rate_rps,
                                                std::int64_t requests) -> Result<Load> {
    TRY(made, load(rate_rps, requests));
    made.source = std::make_unique<OneByOne>(std::move(made.source), made.horizon,
                                             duration_from_us(1e6 / rate_rps));
    made.horizon = kNever;
    return made;
  };
  return system;
}

std::vector<ProbeJob> confirming_jobs(const ProbeJob& asked, const LoadProbe& held) {
  std::vector<ProbeJob> jobs(asked.system->other_loads.size(), asked);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].draw = static_cast<std::int64_t>(i) + 1;
    jobs[i].effort.first_requests = std::min(asked.effort.most_requests, held.requests);
  }
  return jobs;
}

LoadProbe with_others(const LoadProbe& held, std::vector<LoadProbe> others) {
  const LoadProbe* refuting = against(others);
  LoadProbe whole = refuting != nullptr ? *refuting : others.front();
  if (refuting == nullptr) {
    whole.seeds = std::ssize(others) + 1;
  } else {
    whole.answer = Answer::unclear;
    whole.is_turned_away = false;
    whole.is_refuting = true;
  }
  others.push_back(held);
  for (std::size_t i = 0; i < whole.slos.size(); ++i) {
    const auto value = [i](const LoadProbe& test) { return test.slos[i].value_ms; };
    const auto [least, most] = std::ranges::minmax(others, {}, value);
    whole.slos[i].over_seeds_ms = Interval{value(least), value(most)};
  }
  return whole;
}

}  // namespace plimsoll
