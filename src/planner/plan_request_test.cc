#include "planner/plan_request.h"

#include <gtest/gtest.h>

#include "planner/candidate.h"

namespace plimsoll {
namespace {

constexpr const char* kRequest = R"(
workload:
  arrival_rate_range: [1, 100]
  prompt_length: {distribution: "normal", mean: 512, std: 128}
  output_length: {distribution: "normal", mean: 256, std: 64}
constraints:
  max_ttft_p95_ms: 2000
  max_tbt_p99_ms: 200
  max_latency_p99_ms: 10000
  max_cost_per_hour: 100.0
  min_qps: 10.0
config_space:
  gpu_types: ["A100", "H100"]
  num_gpus: [1, 2]
  tensor_parallel: [1, 2]
  pipeline_parallel: [1, 2]
  num_replicas: [1, 4]
  schedulers: ["vllm", "Sarathi"]
  max_batch_sizes: [32]
simulation: {duration: 300, warmup_duration: 30, random_seed: 7}
)";

std::string message_of(const std::string& text) {
  const auto request = parse_plan_request(text, "r.yaml");
  return request ? "" : request.error().diagnostics.front().message;
}

TEST(PlanRequest, is_read_as_its_document_says) {
  const auto r = parse_plan_request(kRequest, "plans/r.yaml");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->lowest_rps, 1);
  EXPECT_EQ(r->highest_rps, 100);
  EXPECT_EQ(r->prompt->length.stdev, 128);
  EXPECT_EQ(r->answer->length.mean, 256);
  ASSERT_EQ(r->slos.size(), 3U);
  EXPECT_EQ(text_of(r->slos[1]), "itl_p99<200ms");
  EXPECT_EQ(r->max_usd_per_hour, 100);
  EXPECT_EQ(r->min_rps, 10);
  EXPECT_EQ(r->space.batching_rules, (std::vector<std::string>{"vllm", "sarathi"}));
  EXPECT_EQ(r->duration_s, 300);
  EXPECT_EQ(r->warmup_s, 30);
  EXPECT_EQ(r->seed, 7);
  EXPECT_EQ(candidates_of(*r).size(), 2U * 2 * 2 * 2 * 2 * 2);
}

TEST(PlanRequest, understands_the_keys_of_both_families) {
  const auto r = parse_plan_request(
      "profile: p/fitted_profile.json\nworkload: {decode_length: {mean: 9}}\n"
      "config_space: {gpu_types: [H100], tp_sizes: [4], pp_sizes: [2]}\n",
      "plans/r.yaml");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->profile, "plans/p/fitted_profile.json");
  EXPECT_EQ(r->answer->length.mean, 9);
  const auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].gpus_per_replica(), 8);
}

TEST(PlanRequest, counts_the_gpus_of_data_parallel_ranks) {
  const auto r = parse_plan_request(
      "config_space: {gpu_types: [H200], tensor_parallel: [2], data_parallel: [1, 8]}", "r.yaml");
  ASSERT_TRUE(r);
  auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].gpus_per_replica(), 2);
  EXPECT_EQ(all[1].gpus_per_replica(), 16);
  EXPECT_NE(all[0].deployment(), all[1].deployment());
  all[1].replicas = 3;
  all[1].spare = 1;
  EXPECT_EQ(all[1].total_gpus(), 64);
  EXPECT_EQ(describe_gpus(all[1]), "64 x H200 (3 + 1 spare instances x TP2 DP8)");
}

TEST(PlanRequest, takes_every_ratio_of_a_split_for_a_candidate) {
  const auto r = parse_plan_request(
      "config_space: {gpu_types: [H100], tensor_parallel: [2], disaggregation: [aggregated, "
      "split], "
      "prefill_decode_ratios: [\"1:2\", 4:2, 2:4], pd_deciders: [always, conditional]}",
      "r.yaml");
  ASSERT_TRUE(r);
  auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 5U) << "2:4 is 1:2";
  EXPECT_FALSE(all[0].splits());
  EXPECT_EQ(describe_disaggregation(all[4]), "split 2:1, conditional");
  EXPECT_EQ(all[4].gpus_per_replica(), 6);
  EXPECT_TRUE(all[4].has_num_gpus());
  EXPECT_NE(all[3].engine(), all[4].engine());
  EXPECT_EQ(all[1].engine(), all[3].engine()) << "alone, the ratio makes no difference";
  EXPECT_NE(all[1].deployment(), all[3].deployment());
  all[4].replicas = 2;
  EXPECT_EQ(describe(all[4]),
            "12 x H100 (4 prefill + 2 decode instances x TP2), decider conditional");
  all[4].spare = 1;
  EXPECT_EQ(describe_gpus(all[4]),
            "18 x H100 (4 + 2 spare prefill and 2 + 1 spare decode instances x TP2)");
}

TEST(PlanRequest, lets_small_chunks_compete_with_a_split) {
  auto r = parse_plan_request(
      "config_space: {gpu_types: [H100], tensor_parallel: [2], disaggregation: [aggregated, "
      "split], prefill_decode_ratios: [\"1:1\"]}",
      "r.yaml");
  ASSERT_TRUE(r);
  r->space.small_chunks = 512;
  const auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].max_num_batched_tokens, 0);
  EXPECT_EQ(all[1].max_num_batched_tokens, 512);
  EXPECT_FALSE(all[1].splits());
  EXPECT_TRUE(all[2].splits());
  EXPECT_EQ(all[2].max_num_batched_tokens, 0);
}

TEST(PlanRequest, reads_mixes_and_how_many_gpus_there_are) {
  const auto r = parse_plan_request(
      "constraints: {available_gpus: {H100: 4, L40S: 8}}\n"
      "config_space: {gpu_types: [H100, L40S], tensor_parallel: [1], mix_gpu_types: true}",
      "r.yaml");
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->space.mixes_gpus);
  Candidate mix = candidates_of(*r).front();
  mix.other_gpu = "L40S";
  mix.beside = 3;
  mix.replicas = 2;
  EXPECT_EQ(mix.instances(mix.replicas), 5);
  EXPECT_EQ(mix.replicas_of(5), 2);
  EXPECT_EQ(mix.gpus_per_replica(), 1);
  EXPECT_EQ(describe(mix), "2 x H100 + 3 x L40S");
  EXPECT_EQ(describe_gpu_types(mix), "H100 and L40S");
  EXPECT_EQ(short_of(*r, mix), nullptr);
  mix.other_tp = 4;
  mix.spare = 1;
  EXPECT_EQ(describe_gpus(mix),
            "3 x H100 + 12 x L40S (2 + 1 spare H100 x TP1 and 3 L40S x TP4 instances)");
  ASSERT_NE(short_of(*r, mix), nullptr);
  EXPECT_EQ(*short_of(*r, mix), "L40S");
}

TEST(PlanRequest, refuses_mixes_where_all_is_split) {
  const auto r = parse_plan_request(
      "config_space: {gpu_types: [H100, L40S], mix_gpu_types: true, disaggregation: [split]}",
      "r.yaml");
  ASSERT_FALSE(r);
  EXPECT_THAT(format(r.error()), testing::HasSubstr("mixed instances serve whole requests"));
}

TEST(PlanRequest, counts_no_instances_of_a_candidate_that_has_none) {
  Candidate none;
  none.gpu = "T4";
  none.replicas = 0;
  EXPECT_EQ(describe_gpus(none), "T4 (TP1)");
}

TEST(PlanRequest, takes_unlike_instances_for_prefill_for_candidates) {
  const auto r = parse_plan_request(
      "config_space: {gpu_types: [H100], tensor_parallel: [1, 2], disaggregation: [aggregated, "
      "split], prefill_decode_ratios: [\"2:1\"], prefill_gpu_types: [H100, L40S], "
      "prefill_tensor_parallel: [2]}",
      "r.yaml");
  ASSERT_TRUE(r);
  EXPECT_EQ(all_gpus(r->space), (std::vector<std::string>{"H100", "L40S"}));
  auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_FALSE(all[0].has_unlike_pools());
  EXPECT_EQ(all[1].replicas, 0);  // as many as it takes
  all[1].replicas = 1;
  EXPECT_EQ(describe_gpus(all[1]), "5 x H100 (2 prefill x TP2 + 1 decode x TP1 instance)");
  all[2].replicas = 3;
  all[2].spare = 1;
  EXPECT_EQ(all[2].gpus_per_replica(), 5);
  EXPECT_EQ(describe_gpus(all[2]),
            "16 x L40S + 4 x H100 (6 + 2 spare prefill x TP2 and 3 + 1 spare decode x TP1 "
            "instances)");
  EXPECT_EQ(describe_layout(all[2]), "TP1, prefill L40S TP2");
  EXPECT_EQ(describe_disaggregation(all[2]), "split 2:1, prefill L40S TP2, always");
  EXPECT_FALSE(all[4].has_unlike_pools()) << "TP2 on H100, as those that answer";
  EXPECT_NE(all[1].engine(), all[2].engine());
}

TEST(PlanRequest, takes_layouts_of_each_pool_for_candidates) {
  const auto r = parse_plan_request(
      "config_space: {gpu_types: [H200], tensor_parallel: [1], data_parallel: [8], "
      "expert_parallel: [true], disaggregation: [aggregated, split], "
      "prefill_decode_ratios: [\"2:1\"], prefill_tensor_parallel: [8], "
      "prefill_data_parallel: [1, 2], prefill_expert_parallel: [false, true]}",
      "r.yaml");
  ASSERT_TRUE(r);
  auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(describe_layout(all[0]), "TP1 DP8 EP8");
  EXPECT_EQ(describe_layout(all[1]), "TP1 DP8 EP8, prefill TP8");
  EXPECT_EQ(describe_layout(all[2]), "TP1 DP8 EP8, prefill TP8 EP8");
  EXPECT_EQ(describe_layout(all[3]), "TP1 DP8 EP8, prefill TP8 DP2");
  EXPECT_EQ(describe_layout(all[4]), "TP1 DP8 EP8, prefill TP8 DP2 EP16");
  all[3].replicas = 1;
  EXPECT_EQ(all[3].total_gpus(), 40);
  EXPECT_EQ(all[3].gpus_per_other(), 16);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) EXPECT_NE(all[i].engine(), all[j].engine());
  }
}

// Only where a request that is alone tells what is possible.
TEST(PlanRequest, has_unlike_instances_where_all_prompts_are_computed_apart) {
  const auto r = parse_plan_request(
      "config_space: {gpu_types: [H100], tensor_parallel: [1], disaggregation: [split], "
      "prefill_decode_ratios: [\"1:1\"], prefill_tensor_parallel: [2], pd_deciders: [always, "
      "conditional]}",
      "r.yaml");
  ASSERT_TRUE(r);
  const auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].has_unlike_pools());
  EXPECT_FALSE(all[1].has_unlike_pools());
}

TEST(PlanRequest, says_what_is_wrong_with_a_split) {
  const std::string split = "config_space: {disaggregation: [split], ";
  EXPECT_EQ(message_of("config_space: {prefill_tensor_parallel: [2]}"),
            "\"prefill_tensor_parallel\" decides nothing: no candidate is split");
  EXPECT_EQ(message_of(split + "prefill_tensor_parallel: [0]}"),
            "\"prefill_tensor_parallel\" has 0, which is no whole number from 1 to 1,024");
  EXPECT_EQ(message_of("config_space: {prefill_data_parallel: [2]}"),
            "\"prefill_data_parallel\" decides nothing: no candidate is split");
  EXPECT_EQ(message_of(split + "prefill_expert_parallel: [1]}"),
            "\"prefill_expert_parallel\" must be true or false, got 1");
  EXPECT_EQ(message_of("config_space: {expert_parallel: []}"),
            "\"expert_parallel\" is an empty list: no deployment is left to choose");
  EXPECT_EQ(message_of(split + "prefill_decode_ratios: [1]}"),
            "\"1\" is no ratio of instances for prefill and for decode");
  EXPECT_EQ(message_of(split + "prefill_decode_ratios: [\"0:2\"]}"),
            "\"0:2\" is no ratio of instances for prefill and for decode");
  EXPECT_EQ(message_of(split + "pd_deciders: [allways]}"),
            "unknown value \"allways\" of \"pd_deciders\"");
  EXPECT_EQ(message_of(split + "pd_transfer_links: [string]}"),
            "unknown value \"string\" of \"pd_transfer_links\"");
  EXPECT_EQ(message_of("config_space: {disaggregation: [aggregated], pd_deciders: [never]}"),
            "\"pd_deciders\" decides nothing: no candidate is split");
  EXPECT_EQ(message_of("config_space: {disaggregation: []}"),
            "\"disaggregation\" is an empty list: no deployment is left to choose");
}

TEST(PlanRequest, takes_a_number_of_gpus_for_tp_times_pp_times_dp) {
  const auto r = parse_plan_request(
      "config_space: {gpu_types: [H200], num_gpus: [8], tensor_parallel: [2, 4], dp_sizes: [4]}",
      "r.yaml");
  ASSERT_TRUE(r);
  const auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].has_num_gpus());
  EXPECT_FALSE(all[1].has_num_gpus());
}

TEST(PlanRequest, takes_the_parallelism_from_the_number_of_gpus) {
  const auto r =
      parse_plan_request("config_space: {gpu_types: [H100], num_gpus: [2, 4]}", "r.yaml");
  ASSERT_TRUE(r);
  const auto all = candidates_of(*r);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].tp, 4);
}

TEST(PlanRequest, says_what_is_wrong_with_it) {
  EXPECT_EQ(message_of("workload: {arrival_rate_range: [9, 1]}"),
            "a range is the lowest and the highest rate");
  EXPECT_EQ(message_of("constraints: {max_tftt_p95_ms: 1}"),
            "max_tftt_p95_ms: unknown metric \"tftt\"");
  EXPECT_EQ(message_of("constraints: {max_cost_per_houer: 1}"),
            "unknown key \"max_cost_per_houer\"");
  EXPECT_EQ(message_of("constraints: {max__ms: 1}"), "unknown key \"max__ms\"");
  EXPECT_EQ(message_of("config_space: {schedulers: [vlm]}"), "unknown batching rule \"vlm\"");
  EXPECT_EQ(message_of("config_space: {num_gpus: [0.5]}"),
            "\"num_gpus\" has 0.5, which is no whole number from 1 to 1,024");
  EXPECT_EQ(message_of("objective: cheapest"), "\"objective\" cannot be cheapest");
}

TEST(PlanRequest, feels_no_limits_of_lengths_that_it_does_not_name) {
  const auto r = parse_plan_request(
      "workload: {prompt_length: {mean: 1000, std: 100}, output_length: {mean: 512, std: 64.5}}",
      "r.yaml");
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->prompt->says_mean && r->prompt->says_stdev);
  EXPECT_FALSE(r->prompt->says_min || r->prompt->says_max);
  EXPECT_LE(r->prompt->length.min, 100);  // flags refuse a deviation outside the limits
  EXPECT_EQ(r->prompt->length.max, 1400);
  EXPECT_EQ(r->answer->length.min, 64);
  EXPECT_EQ(message_of("workload: {prompt_length: {mean: 1000, std: 100, max: 900}}"),
            "prompt_length: the mean 1000 lies outside [100, 900]");
}

TEST(PlanRequest, takes_no_empty_list_for_an_absent_one) {
  for (const std::string key :
       {"gpu_types", "num_gpus", "tensor_parallel", "pipeline_parallel", "num_replicas",
        "schedulers", "max_batch_sizes", "max_num_batched_tokens", "routing_policies"}) {
    EXPECT_EQ(message_of("config_space: {" + key + ": []}"),
              "\"" + key + "\" is an empty list: no deployment is left to choose");
  }
}

TEST(PlanRequest, says_once_what_contradicts_itself) {
  EXPECT_EQ(message_of("workload: {rate: 40, arrival_rate_range: [1, 10]}"),
            "a rate to hold and a range of rates to search are two questions");
  const auto negative = parse_plan_request("constraints: {max_ttft_p95_ms: -5}", "r.yaml");
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().diagnostics.size(), 1U);
}

TEST(PlanRequest, reads_what_is_paid_in_percent_and_as_shares_of_it) {
  const auto request = parse_plan_request(R"(
economics:
  price_file: prices.yaml
  purchase: {on_demand: 20, commitment_1y: 50, spot: 30, spot_loss: 25}
  api_price: {input: 0.15, output: 0.6}
  growth_per_minute: 10
  cold_start_s: 120
constraints: {slo: "batch", max_ttft_p95_ms: 4000}
)",
                                          "folder/request.yaml");
  ASSERT_TRUE(request) << format(request.error());
  const Economics& economics = request->economics;
  EXPECT_EQ(economics.price_file, "folder/prices.yaml");
  ASSERT_EQ(economics.purchase.shares.size(), 3u);
  EXPECT_EQ(economics.purchase.shares[1].commitment, "reserved-1-year");
  EXPECT_DOUBLE_EQ(economics.purchase.shares[1].share, 0.5);
  EXPECT_DOUBLE_EQ(economics.purchase.spot_loss, 0.25);
  EXPECT_EQ(economics.api->usd_output, 0.6);
  EXPECT_DOUBLE_EQ(economics.growth_per_minute, 0.1);
  EXPECT_EQ(economics.cold_start_s, 120);
  EXPECT_EQ(request->slos.size(), 2u);
  EXPECT_FALSE(parse_plan_request("economics: {purchase: {on_demand: 0.5, spot: 0.5}}", "r.yaml"));
}

}  // namespace
}  // namespace plimsoll
