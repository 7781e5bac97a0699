// Does every row of the table of batching rules serve everybody, within its limits, and the same
// way each time? A new rule needs no test of its own for that.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "batching_limits.h"
#include "engine/batching_rule.h"
#include "engine/instance.h"
#include "mixed_traffic.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

class LimitedModel final : public StepTimeModel {
 public:
  explicit LimitedModel(const EngineConfig& limits) : limits_(limits) {}

  double step_us(const BatchShape& batch) const override {
    EXPECT_EQ(broken_limit(limits_, batch), "");
    return times_.step_us(batch);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return times_.queueing_us(input_tokens);
  }
  double output_token_us() const override { return times_.output_token_us(); }
  double post_decode_us() const override { return times_.post_decode_us(); }

 private:
  const reference::LinearModel times_;
  const EngineConfig limits_;
};

constexpr int kRequests = 2000;

class EveryBatchingRule : public testing::TestWithParam<std::string> {
 protected:
  /// Little memory, so that decodes run out of it where the rule lets them.
  static EngineConfig limits() {
    EngineConfig limits;
    limits.batching_rule = GetParam();
    limits.block_size = batching_rule(GetParam()).block_size;
    limits.total_kv_blocks = 1504 / limits.block_size;
    limits.max_num_seqs = 16;
    limits.max_num_batched_tokens = 200;
    limits.max_model_len = 400;
    return limits;
  }

  struct Run {
    RequestTable requests;
    InstanceRecord record;
    std::int64_t used_kv_blocks = 0;
  };

  /// `before`: decode steps may run on their own until then, at each event.
  static Run run(const EngineConfig& limits, bool asynchronous, Duration ahead) {
    Semantics semantics;
    semantics.asynchronous_scheduling = asynchronous;
    const LimitedModel model(limits);
    Run run;
    Instance instance(limits, model, semantics, kNever, run.requests);
    MixedTraffic traffic(kRequests, 20'000);
    Request request;
    const auto run_until = [&](Time limit) {
      while (instance.next_event() != kNever && instance.next_event() < limit) {
        const Time next = instance.next_event();
        instance.run_next_event(next, ahead == Duration{} ? next : std::min(limit, next + ahead));
        EXPECT_LE(instance.used_kv_blocks(), limits.total_kv_blocks);
        EXPECT_LE(instance.batch_size(), limits.max_num_seqs);
      }
    };
    while (traffic.next(&request)) {
      run_until(request.arrival);
      run.requests.add(request);
      instance.inject(request, static_cast<std::uint32_t>(run.requests.size() - 1),
                      request.arrival);
    }
    run_until(kNever);
    run.record = instance.record();
    run.used_kv_blocks = instance.used_kv_blocks();
    return run;
  }
};

TEST_P(EveryBatchingRule, serves_everybody_within_its_limits) {
  for (const bool asynchronous : {false, true}) {
    const Run all = run(limits(), asynchronous, seconds(1));
    EXPECT_EQ(all.record.completed, kRequests);
    EXPECT_EQ(all.record.still_queued + all.record.still_running, 0);
    EXPECT_EQ(all.used_kv_blocks, 0);
    EXPECT_LE(all.record.peak_kv_blocks, limits().total_kv_blocks);
    std::int64_t tokens = 0;
    for (std::size_t row = 0; row < all.requests.size(); ++row) {
      ASSERT_EQ(all.requests.outcome[row], Outcome::completed);
      EXPECT_EQ(all.requests.generated_tokens[row], all.requests.output_tokens[row]);
      tokens += all.requests.output_tokens[row];
    }
    // One token each comes from the end of a prefill; so does the first after each preemption.
    EXPECT_GE(all.record.decode_tokens, tokens - kRequests - all.record.preemptions);
    EXPECT_LE(all.record.decode_tokens, tokens - kRequests);
  }
}

TEST_P(EveryBatchingRule, does_the_same_in_long_strides_as_step_by_step) {
  for (const bool asynchronous : {false, true}) {
    const Run strides = run(limits(), asynchronous, seconds(1));
    const Run again = run(limits(), asynchronous, seconds(1));
    const Run steps = run(limits(), asynchronous, Duration{});
    EXPECT_EQ(strides.requests.e2e, again.requests.e2e);
    EXPECT_EQ(strides.requests.e2e, steps.requests.e2e);
    EXPECT_EQ(strides.requests.ttft, steps.requests.ttft);
    EXPECT_EQ(strides.record.steps, steps.record.steps);
    EXPECT_EQ(strides.record.kv_block_us, steps.record.kv_block_us);
    EXPECT_EQ(strides.record.short_of_turns, steps.record.short_of_turns);
    EXPECT_EQ(strides.record.short_of_places, steps.record.short_of_places);
  }
}

// By any order of the queue and any way to choose who gives way.
TEST_P(EveryBatchingRule, starves_nobody_under_other_policies) {
  EngineConfig config = limits();
  for (const SchedulerRow& order : schedulers()) {
    for (const PreemptionRow& preemption : preemption_rules()) {
      config.scheduler = order.name;
      config.preemption = preemption.name;
      config.prefix_caching = order.name == "sjf";
      const Run all = run(config, true, seconds(1));
      EXPECT_EQ(all.record.completed, kRequests) << order.name << " " << preemption.name;
      EXPECT_EQ(all.used_kv_blocks, 0);
    }
  }
}

// Requests that take nearly all of the cache, or more tokens than a step may have.
TEST_P(EveryBatchingRule, serves_requests_as_long_as_the_cache) {
  EngineConfig config = limits();
  config.max_model_len = 1500;
  config.max_num_batched_tokens = 40;
  const LimitedModel model(config);
  RequestTable requests;
  Instance instance(config, model, {}, kNever, requests);
  constexpr int kLong = 20;
  for (int i = 0; i < kLong; ++i) {
    Request request;
    request.id = i;
    request.input_tokens = i % 3 == 0 ? 1400 : 700;
    request.output_tokens = i % 3 == 0 ? 80 : 100;
    request.own_content = 1000 + static_cast<std::uint64_t>(i);
    requests.add(request);
    instance.inject(request, static_cast<std::uint32_t>(i), Time{});
  }
  for (int events = 0; instance.next_event() != kNever; ++events) {
    ASSERT_LT(events, 100'000) << "it does not come to an end";
    instance.run_next_event(instance.next_event(), kNever);
  }
  EXPECT_EQ(instance.record().completed, kLong);
  EXPECT_EQ(instance.used_kv_blocks(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, EveryBatchingRule,
    [] {
      std::vector<std::string> names;
      for (const BatchingRuleRow& row : batching_rules()) {
        names.push_back(row.name);
      }
      return testing::ValuesIn(names);
    }(),
    [](const auto& rule) {
      std::string name = rule.param;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace plimsoll
