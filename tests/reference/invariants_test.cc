// What holds for every run, whatever the rules in detail? Random inputs to one engine instance,
// event by event.
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "batching_limits.h"
#include "engine/instance.h"
#include "metrics/breakdown.h"
#include "reference/case.h"
#include "reference/product_run.h"
#include "reference/random_case.h"

namespace plimsoll::reference {
namespace {

Semantics in_step() {
  Semantics semantics = Semantics::vllm();
  semantics.asynchronous_scheduling = false;
  return semantics;
}

/// Checks each batch against the limits of the engine.
class LimitedModel final : public StepTimeModel {
 public:
  LimitedModel(const LinearModel& times, const EngineConfig& limits)
      : times_(times), limits_(limits) {}

  double step_us(const BatchShape& batch) const override {
    RC_ASSERT(broken_limit(limits_, batch) == "");
    return times_.step_us(batch);
  }
  double queueing_us(std::int64_t input) const override { return times_.queueing_us(input); }
  double output_token_us() const override { return times_.output_token_us(); }
  double post_decode_us() const override { return times_.post_decode_us(); }

 private:
  const LinearModel times_;
  const EngineConfig limits_;
};

RequestTable table_for(const std::vector<Request>& requests) {
  RequestTable table;
  for (const Request& request : requests) table.add(request);
  return table;
}

struct OneInstance {
  RequestTable requests;
  InstanceRecord record;
  std::int64_t used_kv_blocks = 0;
  Duration requests_in_system;  ///< integral over time
};

/// Runs the requests of a case on one instance until nothing is left, looking at it between any
/// two events.
OneInstance run_one_instance(const Case& scenario) {
  const EngineConfig& config = scenario.deployment.main().engine;
  const std::vector<Request> requests = requests_of(scenario);
  const LimitedModel model(scenario.model, config);
  OneInstance run;
  run.requests = table_for(requests);
  plimsoll::Instance instance(config, model, scenario.semantics, kNever, run.requests);
  Time now;
  int events = 0;
  const auto advance_to = [&](Time time) {
    RC_ASSERT(time >= now);
    run.requests_in_system += (time - now) * (instance.queue_depth() + instance.batch_size());
    now = time;
  };
  const auto run_until = [&](Time limit) {
    while (instance.next_event() != kNever && instance.next_event() < limit) {
      advance_to(instance.next_event());
      instance.run_next_event(now, limit);
      RC_ASSERT(++events < 100'000);  // else it would not come to an end
      RC_ASSERT(instance.used_kv_blocks() <= config.total_kv_blocks);
      RC_ASSERT(instance.batch_size() <= config.max_num_seqs);
    }
  };
  for (std::size_t row = 0; row < requests.size(); ++row) {
    run_until(requests[row].arrival);
    advance_to(requests[row].arrival);
    instance.inject(requests[row], static_cast<std::uint32_t>(row), now);
  }
  run_until(kNever);
  run.record = instance.record();
  run.used_kv_blocks = instance.used_kv_blocks();
  RC_ASSERT(instance.left() == std::ssize(requests));
  return run;
}

/// A random case for one instance, in the default semantics with either way of scheduling.
Case pick_vllm_case() {
  const bool asynchronous = *rc::gen::arbitrary<bool>();
  return pick_case(asynchronous ? Semantics::vllm() : in_step(), kSmall);
}

/// As above, and a request's residence is its time in queue and batch.
Case pick_case_without_overheads() {
  Case scenario = pick_vllm_case();
  scenario.model.queueing = 0;
  scenario.model.queueing_per_input_token = 0;
  scenario.model.output_token = 0;
  scenario.model.post_decode = 0;
  return scenario;
}

TEST(Invariants, where_do_requests_and_blocks_go) {
  // every request leaves once, and all blocks come back
  const auto property = [] {
    const OneInstance run = run_one_instance(*rc::gen::exec(pick_vllm_case));
    const auto count = [&](auto predicate) {
      return std::count_if(run.requests.outcome.begin(), run.requests.outcome.end(), predicate);
    };
    const auto is = [](Outcome wanted) { return [=](Outcome o) { return o == wanted; }; };
    RC_ASSERT(count(is_completed) == run.record.completed);
    RC_ASSERT(count(is(Outcome::length_capped)) == run.record.length_capped);
    RC_ASSERT(count(is(Outcome::timed_out)) == run.record.timed_out);
    RC_ASSERT(count(is(Outcome::dropped)) == run.record.dropped);
    RC_ASSERT(count(is(Outcome::unfinished)) == 0);
    RC_ASSERT(run.used_kv_blocks == 0);
  };
  EXPECT_EQ(counterexample(1000, property), "");
}

TEST(Invariants, does_cause_come_before_effect) {
  // arrival <= admission < first token <= last token <= deadline
  const auto property = [] {
    const Case scenario = *rc::gen::exec(pick_vllm_case);
    const OneInstance run = run_one_instance(scenario);
    const Duration after_step =
        duration_from_us(scenario.model.output_token + scenario.model.post_decode);
    for (std::size_t i = 0; i < run.requests.size(); ++i) {
      const Duration admission = run.requests.scheduling_delay[i];
      const Duration first_token = run.requests.ttft[i];
      if (first_token != kNoDuration) {
        RC_ASSERT(admission >= Duration{});
        RC_ASSERT(admission < first_token);
      }
      if (!is_completed(run.requests.outcome[i])) continue;
      const Duration e2e = run.requests.e2e[i];
      RC_ASSERT(first_token != kNoDuration);
      RC_ASSERT(first_token + run.requests.itl_sum[i] <= e2e);
      const std::int64_t deadline_us = scenario.requests[i].deadline_us;
      if (deadline_us < 0) continue;
      RC_ASSERT(run.requests.arrival[i] + e2e - after_step <= Time{} + microseconds(deadline_us));
    }
  };
  EXPECT_EQ(counterexample(1000, property), "");
}

TEST(Invariants, is_any_part_of_the_time_of_a_request_negative_or_missing) {
  for (const Semantics& semantics : {Semantics::vllm(), in_step(), Semantics::blis()}) {
    const auto property = [&] {
      Case scenario = *rc::gen::exec([&] { return pick_case(semantics, kSmall); });
      if (!semantics.refuse_what_can_never_fit) scenario.horizon_us = 100'000;
      const std::vector<Request> requests = requests_of(scenario);
      Deployment deployment = scenario.deployment;
      for (Pool& pool : deployment.pools)
        pool.step_time = std::make_shared<LinearModel>(scenario.model);
      const RequestTable table = run_product(scenario, deployment, requests).record.requests;
      for (std::size_t i = 0; i < table.size(); ++i) {
        const Breakdown b = breakdown_of(table, i);
        for (const Duration part :
             {b.gateway, b.queue, b.prefill, b.prefill_stall, b.decode, b.preemption}) {
          RC_ASSERT(part >= Duration{});
        }
        RC_ASSERT(b.total() == (is_completed(table.outcome[i]) ? table.e2e[i] : Duration{}));
      }
    };
    EXPECT_EQ(counterexample(500, property), "");
  }
}

TEST(Invariants, does_littles_law_hold) {
  // requests in the system over time = sum of their residences
  const auto property = [] {
    const Case scenario = *rc::gen::exec(pick_case_without_overheads);
    const OneInstance run = run_one_instance(scenario);
    Duration residences;
    for (std::size_t i = 0; i < run.requests.size(); ++i) {
      const CaseRequest& request = scenario.requests[i];
      if (is_completed(run.requests.outcome[i])) residences += run.requests.e2e[i];
      if (run.requests.outcome[i] == Outcome::timed_out) {
        residences += microseconds(request.deadline_us - request.arrival_us);
      }
    }
    RC_ASSERT(run.requests_in_system == residences);
  };
  EXPECT_EQ(counterexample(1000, property), "");
}

TEST(Invariants, does_an_instance_idle_while_work_waits) {
  // busy time = time with a request in the system
  const auto property = [] {
    Case scenario = *rc::gen::exec(pick_case_without_overheads);
    for (CaseRequest& request : scenario.requests) request.deadline_us = -1;
    const OneInstance run = run_one_instance(scenario);
    Duration busy;
    Time covered;
    for (std::size_t i = 0; i < run.requests.size(); ++i) {
      if (!is_completed(run.requests.outcome[i])) continue;
      const Time begin = std::max(run.requests.arrival[i], covered);
      const Time end = run.requests.arrival[i] + run.requests.e2e[i];
      if (end <= begin) continue;
      busy += end - begin;
      covered = end;
    }
    RC_ASSERT(run.record.busy == busy);
  };
  EXPECT_EQ(counterexample(1000, property), "");
}

}  // namespace
}  // namespace plimsoll::reference
