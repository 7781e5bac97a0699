// Does each batching rule do what its description says? Small cases whose steps can be followed by
// hand: a step lasts 1 ms, and 10 us for each prompt token and 100 us for each decode in it.
#include "engine/batching_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/instance.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

struct Wanted {
  std::int64_t arrival_us = 0;
  std::int32_t input_tokens = 1;
  std::int32_t output_tokens = 1;
};

/// "prompt tokens + decodes" of each step.
class StepLog final : public EngineLog {
 public:
  void steps(std::int32_t /*instance*/, const StepSpan& span) override {
    for (std::int64_t i = 0; i < span.steps; ++i) {
      all.push_back(std::to_string(span.prefill_tokens) + "+" +
                    std::to_string(span.decode_requests));
    }
  }
  void request(std::int32_t /*instance*/, const Request& /*request*/, Moment /*moment*/,
               Time /*at*/, Outcome /*outcome*/) override {}
  std::vector<std::string> all;
};

struct Served {
  RequestTable requests;
  InstanceRecord record;
  std::vector<std::string> steps;

  double longest_gap_us() const { return record.itl.percentile_us(100); }
  double ttft_us(std::size_t row) const { return to_us(requests.ttft[row]); }
};

EngineConfig limits_of(const std::string& rule) {
  EngineConfig limits;
  limits.batching_rule = rule;
  limits.max_num_seqs = batching_rule(rule).max_num_seqs;
  limits.max_num_batched_tokens = batching_rule(rule).max_num_batched_tokens;
  limits.block_size = batching_rule(rule).block_size;
  limits.total_kv_blocks = 16'000 / limits.block_size;
  limits.max_model_len = 2000;
  return limits;
}

Served run(const EngineConfig& limits, const std::vector<Wanted>& wanted) {
  Semantics semantics;
  semantics.asynchronous_scheduling = false;
  semantics.exact_itl_counts = true;
  const reference::LinearModel model;
  Served served;
  StepLog log;
  Instance instance(limits, model, semantics, kNever, served.requests);
  instance.set_log(&log, 0);
  for (const Wanted& row : wanted) {
    Request request;
    request.id = static_cast<std::int64_t>(served.requests.size());
    request.arrival = Time{} + microseconds(row.arrival_us);
    request.input_tokens = row.input_tokens;
    request.output_tokens = row.output_tokens;
    request.own_content = 1000 + static_cast<std::uint64_t>(request.id);
    while (instance.next_event() < request.arrival)
      instance.run_next_event(instance.next_event(), request.arrival);
    served.requests.add(request);
    instance.inject(request, static_cast<std::uint32_t>(request.id), request.arrival);
  }
  while (instance.next_event() != kNever) instance.run_next_event(instance.next_event(), kNever);
  served.record = instance.record();
  served.steps = log.all;
  return served;
}

Served run(const std::string& rule, const std::vector<Wanted>& wanted) {
  return run(limits_of(rule), wanted);
}

// One request decodes while another comes with a prompt of 1,000 tokens.
const std::vector<Wanted> kLongPromptComes{{0, 10, 60}, {10'000, 1000, 2}};

TEST(BatchingRule, take_vllm_sarathi_and_sglang_a_prompt_in_parts) {
  for (const BatchingRuleRow& rule : batching_rules()) {
    const bool has_chunks = rule.name == "vllm" || rule.name == "sarathi" || rule.name == "sglang";
    EXPECT_EQ(rule.chunks_prompts, has_chunks) << rule.name;
  }
}

TEST(BatchingRule, under_orca_a_decode_waits_for_the_whole_prompt_beside_it) {
  EXPECT_EQ(run("orca", kLongPromptComes).longest_gap_us(), 1000 + 10 * 1000 + 100);
}

TEST(BatchingRule, under_vllm_v0_and_lightllm_a_decode_waits_for_a_step_of_prompts) {
  for (const char* rule : {"vllm-v0", "lightllm"}) {
    const Served both = run(rule, kLongPromptComes);
    EXPECT_EQ(both.longest_gap_us(), 1000 + 10 * 1000 + (1000 + 2 * 100)) << rule;
    EXPECT_EQ(both.requests.phases[0].prefill_stall, microseconds(1000 + 10 * 1000)) << rule;
  }
}

TEST(BatchingRule, under_sarathi_no_gap_is_longer_than_a_chunk) {
  EngineConfig limits = limits_of("sarathi");
  for (const int chunk : {64, 512}) {
    limits.max_num_batched_tokens = chunk;
    const Served both = run(limits, kLongPromptComes);
    EXPECT_EQ(both.longest_gap_us(), 1000 + 10 * (chunk - 1) + 100) << chunk;
  }
}

TEST(BatchingRule, under_fastertransformer_no_prompt_disturbs_and_newcomers_wait_for_the_end) {
  const Served both = run("fastertransformer", kLongPromptComes);
  EXPECT_EQ(both.longest_gap_us(), 1000 + 100);
  const Duration first_done = both.requests.e2e[0];
  EXPECT_EQ(both.ttft_us(1), to_us(first_done) - 10'000 + 1000 + 10 * 1000);
  EXPECT_GT(both.record.short_of_turns, 40);
}

TEST(BatchingRule, fastertransformer_fills_no_place_that_becomes_free) {
  EngineConfig limits = limits_of("fastertransformer");
  limits.max_num_seqs = 2;
  const Served three = run(limits, {{0, 5, 2}, {0, 5, 4}, {0, 5, 1}});
  EXPECT_THAT(three.steps, ElementsAre("10+0", "0+2", "0+1", "0+1", "5+0"));
  limits.batching_rule = "orca";
  EXPECT_THAT(run(limits, {{0, 5, 2}, {0, 5, 4}, {0, 5, 1}}).steps,
              ElementsAre("10+0", "0+2", "5+1", "0+1"));
}

TEST(BatchingRule, orca_sets_memory_aside_for_the_longest_request) {
  EngineConfig limits = limits_of("orca");
  limits.total_kv_blocks = 20;
  limits.max_model_len = 100;  // 7 blocks
  const Served three = run(limits, {{0, 5, 3}, {0, 5, 3}, {0, 5, 3}});
  EXPECT_THAT(three.steps, ElementsAre("10+0", "0+2", "0+2", "5+0", "0+1", "0+1"));
  EXPECT_EQ(three.record.peak_kv_blocks, 14);
  EXPECT_GT(three.record.short_of_blocks, 0);
}

TEST(BatchingRule, trtllm_takes_prompts_whole_beside_decodes_while_its_budget_lasts) {
  EngineConfig limits = limits_of("trtllm");
  limits.max_num_batched_tokens = 22;
  // 21 tokens of two prompts, then 10 + 2 decodes; the last prompt is longer than any step.
  const Served four = run(limits, {{0, 10, 4}, {0, 11, 4}, {0, 10, 4}, {0, 40, 1}});
  EXPECT_THAT(four.steps, ElementsAre("21+0", "10+2", "40+3", "0+3", "0+1"));
  EXPECT_GT(four.record.short_of_tokens, 0);
}

TEST(BatchingRule, trtllm_sets_memory_aside_for_the_answer_that_is_allowed) {
  EngineConfig limits = limits_of("trtllm");
  limits.block_size = 16;
  limits.total_kv_blocks = 20;
  limits.max_model_len = 1000;
  // Each takes 10 blocks for 60 + 101 tokens, of which the last is not kept.
  const std::vector<Wanted> three(3, {0, 60, 101});
  const Served served = run(limits, three);
  EXPECT_EQ(served.steps.front(), "120+0");
  EXPECT_EQ(served.record.preemptions, 0);
  EXPECT_EQ(served.requests.scheduling_delay[2], served.requests.e2e[0]);
  limits.total_kv_blocks = 30;
  EXPECT_EQ(run(limits, three).steps.front(), "180+0");
}

TEST(BatchingRule, lightllm_lets_prompts_in_after_ten_decodes) {
  const Served both = run("lightllm", {{0, 10, 30}, {3000, 20, 2}, {3000, 30, 2}});
  std::vector<std::string> steps{"10+0"};
  steps.insert(steps.end(), 10, "0+1");
  steps.push_back("50+0");
  steps.push_back("0+3");
  steps.insert(steps.end(), 18, "0+1");
  EXPECT_EQ(both.steps, steps);
}

TEST(BatchingRule, under_sglang_prompts_go_first_in_chunks_and_alone) {
  EngineConfig limits = limits_of("sglang");
  limits.max_num_batched_tokens = 64;
  const Served three = run(limits, {{0, 40, 3}, {0, 100, 2}, {2000, 10, 1}});
  EXPECT_THAT(three.steps, ElementsAre("64+0", "64+0", "22+0", "0+2", "0+1"));
}

// What comes at 3 ms is received after the fifth decode; what comes during its prompt, after that.
TEST(BatchingRule, sglang_receives_requests_every_so_many_decodes) {
  EngineConfig limits = limits_of("sglang");
  const std::vector<Wanted> wanted{{0, 10, 10}, {3000, 20, 1}, {7000, 30, 1}};
  EXPECT_THAT(run(limits, wanted).steps, ElementsAre("10+0", "0+1", "0+1", "20+0", "0+1", "0+1",
                                                     "0+1", "30+0", "0+1", "0+1", "0+1", "0+1"));
  limits.parameters["scheduler-recv-interval"] = 5;
  EXPECT_THAT(run(limits, wanted).steps, ElementsAre("10+0", "0+1", "0+1", "0+1", "0+1", "0+1",
                                                     "20+0", "30+0", "0+1", "0+1", "0+1", "0+1"));
}

TEST(BatchingRule, sglang_lets_in_at_once_whom_it_received_before_there_was_room) {
  EngineConfig limits = limits_of("sglang");
  limits.max_num_seqs = 2;
  limits.parameters["scheduler-recv-interval"] = 100;
  const Served three = run(limits, {{0, 10, 5}, {0, 10, 20}, {0, 10, 2}});
  EXPECT_THAT(std::vector(three.steps.begin(), three.steps.begin() + 7),
              ElementsAre("20+0", "0+2", "0+2", "0+2", "0+2", "10+0", "0+2"));
}

TEST(BatchingRule, lightllm_looks_ahead_to_the_fullest_moment) {
  EngineConfig limits = limits_of("lightllm");
  // Both in at once: when the shorter one ends, 10 + 4 and 20 + 4 tokens are in use; when the
  // longer one does, 10 + 9.
  const std::vector<Wanted> both{{0, 10, 10}, {0, 20, 5}};
  limits.total_kv_blocks = 39;
  EXPECT_EQ(run(limits, both).steps.front(), "30+0");
  limits.total_kv_blocks = 38;
  EXPECT_EQ(run(limits, both).steps.front(), "10+0");
  // Alone it has to fit, no more.
  limits.total_kv_blocks = 24;
  EXPECT_EQ(run(limits, {{0, 20, 5}}).record.completed, 1);
  limits.total_kv_blocks = 23;
  EXPECT_EQ(run(limits, {{0, 20, 5}}).record.dropped, 1);
}

TEST(BatchingRule, vllm_without_chunks_takes_a_prompt_when_a_step_has_room_for_all_of_it) {
  EngineConfig limits = limits_of("vllm");
  limits.max_num_batched_tokens = 500;
  const std::vector<Wanted> wanted{{0, 300, 2}, {0, 300, 1}, {0, 700, 1}};
  EXPECT_THAT(run(limits, wanted).steps, ElementsAre("500+0", "499+1", "301+0"));
  limits.chunked_prefill = false;
  const Served whole = run(limits, wanted);
  // One that is longer than any step goes alone.
  EXPECT_THAT(whole.steps, ElementsAre("300+0", "300+1", "700+0"));
  EXPECT_EQ(whole.record.short_of_tokens, 2);
}

TEST(BatchingRule, vllm_v0_counts_every_prompt_as_the_longest) {
  EngineConfig limits = limits_of("vllm-v0");
  limits.max_num_batched_tokens = 500;
  const Served three = run(limits, {{0, 100, 1}, {0, 100, 1}, {0, 200, 1}});
  EXPECT_THAT(three.steps, ElementsAre("200+0", "200+0"));
  limits.max_num_batched_tokens = 600;
  EXPECT_THAT(run(limits, {{0, 100, 1}, {0, 100, 1}, {0, 200, 1}}).steps, ElementsAre("400+0"));
  // One that is longer than the limit goes alone.
  EXPECT_THAT(run(limits, {{0, 10, 1}, {0, 700, 1}, {0, 10, 1}}).steps,
              ElementsAre("10+0", "700+0", "10+0"));
}

TEST(BatchingRule, some_leave_one_block_in_a_hundred_free) {
  for (const char* rule : {"vllm-v0", "sarathi", "sglang"}) {
    EngineConfig limits = limits_of(rule);
    limits.max_num_batched_tokens = 10'000;
    limits.max_model_len = 0;
    limits.total_kv_blocks = 200;
    const Served enough = run(limits, {{0, 99 * 16, 1}, {0, 99 * 16, 1}});
    EXPECT_THAT(enough.steps, SizeIs(1)) << rule;
    const Served short_of_one = run(limits, {{0, 99 * 16, 1}, {0, 99 * 16 + 1, 1}});
    EXPECT_THAT(short_of_one.steps, SizeIs(2)) << rule;
    EXPECT_EQ(run(limits, {{0, 200 * 16, 1}}).record.completed, 1) << rule;
  }
}

TEST(BatchingRule, sarathi_serves_every_decode_whatever_its_budget) {
  EngineConfig limits = limits_of("sarathi");
  limits.max_num_batched_tokens = 6;
  const Served four = run(limits, {{0, 2, 20}, {0, 2, 20}, {0, 2, 20}, {0, 11, 20}});
  // Three at once; 3 decodes leave 3 tokens of the budget for the fourth.
  EXPECT_THAT(std::vector(four.steps.begin(), four.steps.begin() + 6),
              ElementsAre("6+0", "3+3", "3+3", "3+3", "2+3", "0+4"));
  limits.max_num_batched_tokens = 3;
  const Served all = run(limits, {{0, 1, 20}, {0, 1, 20}, {0, 1, 20}, {0, 1, 2}});
  // Three decodes use up the budget until they end.
  EXPECT_EQ(all.steps[1], "0+3");
  EXPECT_EQ(all.steps[20], "1+0");
  EXPECT_EQ(all.record.short_of_tokens, 20);
}

TEST(BatchingRule, sarathi_gives_a_prompt_all_its_blocks_when_it_enters) {
  EngineConfig limits = limits_of("sarathi");
  limits.max_num_batched_tokens = 32;
  limits.long_prefill_token_threshold = 16;
  limits.total_kv_blocks = 10;
  // The first takes 6 of 10 blocks at once, so the second, with 5, has to wait for its end.
  const Served both = run(limits, {{0, 6 * 16, 1}, {0, 5 * 16, 1}});
  EXPECT_EQ(both.requests.scheduling_delay[1], both.requests.e2e[0]);
  limits.batching_rule = "vllm";
  EXPECT_EQ(run(limits, {{0, 6 * 16, 1}, {0, 5 * 16, 1}}).requests.scheduling_delay[1], Duration{});
}

TEST(BatchingRule, requests_that_fit_whatever_comes_keep_their_places) {
  // Each grows from 2 to 7 blocks; 12 blocks hold one at its end, or several at their beginning.
  const std::vector<Wanted> many(4, {0, 20, 90});
  for (const BatchingRuleRow& rule : batching_rules()) {
    EngineConfig limits = limits_of(rule.name);
    limits.total_kv_blocks = 12 * 16 / limits.block_size;
    limits.max_model_len = 112;
    const std::int64_t preemptions = run(limits, many).record.preemptions;
    const bool looks_ahead = rule.sets_aside != SetsAside::nothing || rule.name == "lightllm";
    EXPECT_EQ(preemptions == 0, looks_ahead) << rule.name;
  }
}

}  // namespace
}  // namespace plimsoll
