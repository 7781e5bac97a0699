// Where did engine and twin once differ? The smallest inputs that random testing found, one test
// each, so that they are tried at every run whatever the seed.
#include <gtest/gtest.h>

#include "reference/case.h"

namespace plimsoll::reference {
namespace {

Case case_of(std::int64_t blocks, std::int64_t block_size, std::int64_t max_num_seqs) {
  Case c;
  c.deployment.main().engine.total_kv_blocks = blocks;
  c.deployment.main().engine.block_size = block_size;
  c.deployment.main().engine.max_num_seqs = max_num_seqs;
  c.deployment.snapshot_refresh_interval = Duration{};
  c.model.step = 0;
  c.model.per_prefill_token = 0;
  c.model.per_decode_request = 0;
  return c;
}

TEST(FoundByTwin, answer_after_a_free_full_hit_is_no_prompt) {
  Case c = case_of(1, 3, 1);
  c.deployment.main().engine.max_num_batched_tokens = 1;
  c.requests.push_back({0, 3, 5, 0, SloClass::standard, 9, {}, false});
  c.requests.push_back({10, 2, 0, 0, SloClass::standard, -1, {{own_content_of(0), 1}}, false});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, evicted_copy_of_an_answer_unregisters_the_new_one) {
  Case c = case_of(2, 4, 1);
  c.deployment.main().engine.max_model_len = 12;
  c.model.step = 0.5;
  c.model.per_decode_request = 0.5;
  c.model.per_decode_context = 0.625;
  c.requests.push_back({2, 3, 8, 0, SloClass::standard, 25, {}, false});
  c.requests.push_back({26, 5, 0, 0, SloClass::standard, -1, {{own_content_of(0), 4}}, false});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, evicted_copy_of_a_prompt_unregisters_the_new_one) {
  Case c = case_of(18, 1, 2);
  c.deployment.main().engine.long_prefill_token_threshold = 2;
  c.model.per_prefill_token_input = 0.125;
  c.model.queueing_per_input_token = 0.25;
  c.requests.push_back({0, 10, 10, 0, SloClass::standard, 62, {{2, 5}}, false});
  c.requests.push_back({0, 14, 0, 0, SloClass::standard, 63, {{2, 5}}, false});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, survivors_behind_a_refilled_gap_are_found) {
  Case c = case_of(16, 1, 3);
  c.deployment.main().engine.max_num_batched_tokens = 5;
  c.deployment.main().engine.long_prefill_token_threshold = 4;
  c.model.queueing_per_input_token = 0.25;
  c.horizon_us = 24;
  c.requests.push_back({0, 11, 3, 0, SloClass::standard, -1, {{2, 5}}, false});
  c.requests.push_back({0, 8, 1, 0, SloClass::standard, -1, {{2, 5}}, false});
  c.requests.push_back({0, 1, 17, 0, SloClass::standard, -1, {}, false});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, a_request_that_leaves_returns_the_block_of_its_next_step) {
  Case c = case_of(8, 3, 1);
  c.semantics = Semantics::vllm();
  c.deployment.main().engine.max_num_batched_tokens = 9;
  c.deployment.main().engine.scheduler = "priority-fcfs";
  c.deployment.admission_latency = microseconds(961);
  c.model.step = 336;
  c.model.per_decode_request = 7;
  c.model.per_prefill_token_input = 6.75;
  c.model.queueing = 683;
  c.model.queueing_per_input_token = 2.375;
  c.requests.push_back({0, 8, 16, 0, SloClass::standard, -1, {}, false});
  c.requests.push_back({1227, 1, 0, 0, SloClass::standard, -1, {}, false});
  c.requests.push_back({1227, 7, 10, 0, SloClass::critical, 8585, {}, false});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, a_recomputed_last_block_has_two_copies) {
  Case c = case_of(21, 2, 6);
  c.semantics = Semantics::vllm();
  c.deployment.main().engine.max_num_batched_tokens = 22;
  c.deployment.main().engine.max_model_len = 40;
  c.deployment.main().engine.scheduler = "sjf";
  c.deployment.main().engine.preemption = "priority";
  c.deployment.routing_latency = microseconds(1443);
  c.model.step = 709.5;
  c.model.per_decode_request = 94.875;
  c.model.per_prefill_token_context = 2.75;
  c.model.per_decode_context = 1.875;
  c.requests.push_back({0, 24, 9, 0, SloClass::batch, -1, {}, false});
  c.requests.push_back({279, 18, 7, 0, SloClass::standard, -1, {}, false});
  c.requests.push_back({279, 6, 14, 0, SloClass::batch, -1, {}, false});
  c.requests.push_back({279, 4, 0, 0, SloClass::standard, -1, {}, false});
  c.requests.push_back({279, 6, 10, 0, SloClass::standard, -1, {}, false});
  c.requests.push_back({710, 2, 2, 0, SloClass::batch, -1, {}, false});
  c.requests.push_back({710, 4, 12, 0, SloClass::critical, -1, {}, false});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, the_last_block_of_a_prompt_that_an_answer_fills_is_found) {
  Case c;
  c.semantics = Semantics::vllm();
  c.deployment.pools.resize(2);
  c.deployment.pools[0].role = PoolRole::prefill;
  c.deployment.pools[0].kv.bytes_per_token = 0.25;
  c.deployment.pools[0].engine.max_num_seqs = 1;
  c.deployment.pools[0].engine.max_num_batched_tokens = 7;
  c.deployment.pools[0].engine.max_model_len = 23;
  c.deployment.pools[0].engine.total_kv_blocks = 12;
  c.deployment.pools[0].engine.block_size = 3;
  c.deployment.pools[1].kv.bytes_per_token = 0.25;
  c.deployment.pools[1].engine.max_num_seqs = 2;
  c.deployment.pools[1].engine.max_num_batched_tokens = 2;
  c.deployment.pools[1].engine.max_model_len = 23;
  c.deployment.pools[1].engine.total_kv_blocks = 11;
  c.deployment.pools[1].engine.block_size = 3;
  c.deployment.disaggregation.transfer.gb_per_s = 6.103515625e-05;
  c.deployment.disaggregation.transfer.latency = nanoseconds(0);
  c.deployment.disaggregation.transfer.shared = false;
  c.deployment.routing_latency = nanoseconds(1331000);
  c.deployment.snapshot_refresh_interval = nanoseconds(0);
  c.deployment.cache_signal_delay = nanoseconds(0);
  c.model.step = 753.625;
  c.model.per_prefill_token = 0;
  c.model.per_decode_request = 30.375;
  c.model.queueing = 381.5;
  c.model.queueing_per_input_token = 2.75;
  c.drive_step_us = 100;
  c.requests.push_back({505, 6, 17, 0, SloClass::unset, 16716, {}, false, -1});
  c.requests.push_back({505, 9, 13, 0, SloClass{1}, -1, {{1, 6}, {1, 3}}, false, 0});
  c.requests.push_back({952, 17, 2, 0, SloClass{1}, -1, {}, false, -1});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, no_answer_runs_ahead_of_a_prompt_that_waits_behind_one_without_room) {
  Case c;
  c.semantics = Semantics::vllm();
  c.deployment.pools.resize(2);
  c.deployment.pools[0].role = PoolRole::prefill;
  c.deployment.pools[0].kv.bytes_per_token = 0.25;
  c.deployment.pools[0].engine.max_num_seqs = 1;
  c.deployment.pools[0].engine.max_num_batched_tokens = 13;
  c.deployment.pools[0].engine.total_kv_blocks = 2;
  c.deployment.pools[0].engine.block_size = 8;
  c.deployment.pools[1].num_instances = 4;
  c.deployment.pools[1].kv.bytes_per_token = 0.25;
  c.deployment.pools[1].engine.max_num_seqs = 4;
  c.deployment.pools[1].engine.max_num_batched_tokens = 2;
  c.deployment.pools[1].engine.long_prefill_token_threshold = 2;
  c.deployment.pools[1].engine.total_kv_blocks = 6;
  c.deployment.pools[1].engine.block_size = 8;
  c.deployment.disaggregation.decider = "prefill-queue";
  c.deployment.disaggregation.transfer.gb_per_s = 6.103515625e-05;
  c.deployment.disaggregation.transfer.latency = nanoseconds(0);
  c.deployment.disaggregation.transfer.shared = false;
  c.deployment.disaggregation.decode_scorers =
      *parse_scorers("prefix-affinity:0.5,active-requests:0.5,load-for-speed:1,vllm-dp:1.5");
  c.deployment.parameters["pd-prefill-queue"] = 1;
  c.deployment.admission_latency = nanoseconds(1241000);
  c.deployment.snapshot_refresh_interval = nanoseconds(0);
  c.deployment.cache_signal_delay = nanoseconds(0);
  c.model.step = 648.75;
  c.model.per_prefill_token = 7.5;
  c.model.per_decode_request = 41.25;
  c.model.per_prefill_token_squared = 5.75;
  c.model.per_prefill_token_input = 2.75;
  c.model.queueing_per_input_token = 5.5;
  c.drive_step_us = 100;
  c.requests.push_back({0, 1, 7, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({689, 4, 2, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({1290, 6, 12, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({2040, 17, 2, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({3301, 1, 2, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({3355, 5, 2, 0, SloClass::unset, -1, {}, false, -1});
  c.requests.push_back({3355, 8, 2, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({3355, 11, 2, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({3355, 3, 3, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({5237, 1, 14, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({5857, 1, 5, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({6742, 1, 2, 0, SloClass{1}, -1, {}, false, -1});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, a_prompt_from_elsewhere_has_blocks_whoever_had_its_slot_before) {
  Case c;
  c.deployment.pools.resize(2);
  c.deployment.pools[0].role = PoolRole::prefill;
  c.deployment.pools[0].kv.bytes_per_token = 0.25;
  c.deployment.pools[0].engine.max_num_seqs = 1;
  c.deployment.pools[0].engine.max_num_batched_tokens = 6;
  c.deployment.pools[0].engine.max_model_len = 45;
  c.deployment.pools[0].engine.total_kv_blocks = 5;
  c.deployment.pools[0].engine.block_size = 9;
  c.deployment.pools[1].kv.bytes_per_token = 0.25;
  c.deployment.pools[1].engine.max_num_seqs = 2;
  c.deployment.pools[1].engine.max_num_batched_tokens = 2;
  c.deployment.pools[1].engine.max_model_len = 45;
  c.deployment.pools[1].engine.total_kv_blocks = 14;
  c.deployment.pools[1].engine.block_size = 9;
  c.deployment.pools[1].engine.scheduler = "reverse-priority";
  c.deployment.disaggregation.decider = "prefix-threshold";
  c.deployment.disaggregation.transfer.gb_per_s = 6.103515625e-05;
  c.deployment.disaggregation.transfer.latency = nanoseconds(37000);
  c.deployment.disaggregation.transfer.shared = false;
  c.deployment.parameters["pd-prefix-threshold"] = 12;
  c.deployment.snapshot_refresh_interval = nanoseconds(0);
  c.deployment.cache_signal_delay = nanoseconds(0);
  c.model.step = 0;
  c.model.per_prefill_token = 0;
  c.model.per_decode_request = 97;
  c.model.per_prefill_context = 7.375;
  c.model.per_decode_context = 3.125;
  c.horizon_us = 20010;
  c.drive_step_us = 100;
  c.requests.push_back({0, 11, 17, 0, SloClass{1}, 2476, {}, false, -1});
  c.requests.push_back({0, 37, 5, 0, SloClass{2}, -1, {}, false, -1});
  c.requests.push_back({1, 1, 6, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({1, 8, 2, 0, SloClass{1}, 19720, {}, false, -1});
  c.requests.push_back({276, 7, 13, 0, SloClass{1}, 5078, {}, false, -1});
  c.requests.push_back({2719, 37, 3, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({2719, 9, 5, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({19721, 14, 2, 0, SloClass{1}, -1, {{1000, 13}}, false, -1});
  c.requests.push_back({19721, 14, 2, 0, SloClass{1}, -1, {{1003, 1}}, false, -1});
  c.requests.push_back({19721, 14, 2, 0, SloClass{1}, -1, {{1000, 4}}, false, -1});
  c.requests.push_back({19721, 8, 2, 0, SloClass{1}, -1, {{1004, 4}}, false, -1});
  EXPECT_EQ(differences(c), "");
}

TEST(FoundByTwin, a_rank_that_ran_empty_makes_room_after_the_step_of_the_others) {
  Case c;
  c.semantics = Semantics::vllm();
  c.deployment.pools.resize(2);
  c.deployment.pools[0].role = PoolRole{1};
  c.deployment.pools[0].kv.bytes_per_token = 0.25;
  c.deployment.pools[0].speed = 0.5;
  c.deployment.pools[0].ranks = 2;
  c.deployment.pools[0].engine.max_num_seqs = 1;
  c.deployment.pools[0].engine.max_num_batched_tokens = 1;
  c.deployment.pools[0].engine.long_prefill_token_threshold = 1;
  c.deployment.pools[0].engine.total_kv_blocks = 24;
  c.deployment.pools[0].engine.block_size = 2;
  c.deployment.pools[1].kv.bytes_per_token = 0.25;
  c.deployment.pools[1].speed = 0.5;
  c.deployment.pools[1].ranks = 2;
  c.deployment.pools[1].engine.max_num_seqs = 2;
  c.deployment.pools[1].engine.max_num_batched_tokens = 2;
  c.deployment.pools[1].engine.total_kv_blocks = 45;
  c.deployment.pools[1].engine.block_size = 2;
  c.deployment.disaggregation.decider = "conditional";
  c.deployment.disaggregation.transfer.gb_per_s = 6.103515625e-05;
  c.deployment.disaggregation.transfer.latency = nanoseconds(0);
  c.deployment.disaggregation.transfer.shared = false;
  c.deployment.parameters["pd-max-local-prefill"] = 0;
  c.deployment.parameters["pd-max-prefill-queue"] = 1;
  c.deployment.snapshot_refresh_interval = nanoseconds(0);
  c.deployment.cache_signal_delay = nanoseconds(0);
  c.model.step = 100;
  c.model.per_prefill_token = 0;
  c.model.per_decode_request = 0;
  c.model.per_token_of_ranks = 1.25;
  c.model.per_decode_context = 3.875;
  c.model.queueing_per_input_token = 1.5;
  c.drive_step_us = 100;
  c.requests.push_back({6, 1, 14, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({1514, 1, 8, 0, SloClass{1}, -1, {}, false, -1});
  c.requests.push_back({1515, 1, 1, 0, SloClass{1}, -1, {}, false, -1});
  EXPECT_EQ(differences(c), "");
}

}  // namespace
}  // namespace plimsoll::reference
