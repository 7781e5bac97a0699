// Of pools that share requests: which is short, which has room, and what would help?
#include "metrics/pools.h"

#include <cmath>

#include <gtest/gtest.h>

#include "metrics/summary.h"

namespace plimsoll {
namespace {

Deployment fast_and_slow() {
  Deployment deployment;
  deployment.pools.resize(2);
  deployment.pools[0].name = "fast";
  deployment.pools[1].name = "slow";
  deployment.pools[1].num_instances = 2;
  for (Pool& pool : deployment.pools) pool.engine.max_num_seqs = 100;
  return deployment;
}

GroupSummary instance_with(double batch, double waiting, std::int64_t completed) {
  GroupSummary s;
  s.utilization = 1;
  s.mean_batch_size = batch;
  s.mean_queue_depth = waiting;
  s.completed = completed;
  return s;
}

// Of instances with these figures, which had the time of 1,000 steps of a request alone.
RunRecord record_of(const std::vector<GroupSummary>& figures) {
  RunRecord record;
  for (const GroupSummary& s : figures) {
    InstanceRecord r;
    r.max_num_seqs = 100;
    r.steps = 1000;
    r.lone_decode_step = microseconds(100'000);
    r.busy = microseconds(100'000'000);
    r.decode_tokens = std::llround(1000 * s.mean_batch_size);
    record.instances.push_back(r);
  }
  return record;
}

// Such a record where the first one computes prompts alone.
RunRecord split_record_of(const std::vector<GroupSummary>& figures) {
  RunRecord record = record_of(figures);
  record.instances[0].decode_tokens = 0;
  record.instances[0].prefill_work = record.instances[0].busy;
  return record;
}

Summary summary_of(const GroupSummary& fast, const GroupSummary& slow) {
  Summary summary;
  summary.instances = {fast, slow, slow};
  summary.pools =
      pools_of(record_of(summary.instances), summary.instances, Bottleneck{}, fast_and_slow());
  return summary;
}

TEST(PoolsThatShareRequests, have_shares_and_fullness_of_their_own) {
  const Pools pools = summary_of(instance_with(40, 0, 600), instance_with(70, 0, 100)).pools;
  ASSERT_EQ(pools.pools.size(), 2u);
  EXPECT_FALSE(pools.split);
  EXPECT_TRUE(pools.shares());
  EXPECT_DOUBLE_EQ(pools.pools[0].share, 0.75);
  EXPECT_DOUBLE_EQ(pools.pools[1].share, 0.25);
  EXPECT_DOUBLE_EQ(pools.pools[0].fullness, 0.4);
  EXPECT_DOUBLE_EQ(pools.pools[1].fullness, 0.7);
  EXPECT_EQ(pools.verdict, PoolVerdict::balanced);
}

TEST(PoolsThatShareRequests, are_uneven_where_one_is_short_and_another_has_room) {
  Summary summary = summary_of(instance_with(20, 0, 10), instance_with(95, 0, 10));
  EXPECT_EQ(summary.pools.verdict, PoolVerdict::uneven);
  EXPECT_EQ(lever_of_pools(summary)->cause, Remedy::route_by_load);
  summary = summary_of(instance_with(20, 0, 10), instance_with(60, 30, 10));  // a third waits
  EXPECT_EQ(summary.pools.verdict, PoolVerdict::uneven);
  EXPECT_TRUE(summary.pools.pools[1].is_short);
}

TEST(PoolsThatShareRequests, are_not_short_for_waits_of_a_pool_that_is_half_idle) {
  EXPECT_EQ(summary_of(instance_with(1, 0.2, 10), instance_with(20, 10, 10)).pools.verdict,
            PoolVerdict::idle);
}

TEST(PoolsThatShareRequests, get_requests_by_load_unless_they_do) {
  Summary summary = summary_of(instance_with(20, 0, 10), instance_with(95, 0, 10));
  EXPECT_EQ(lever_of_pools(summary)->cause, Remedy::route_by_load);
  summary.pools.goes_by_speed = true;
  EXPECT_EQ(lever_of_pools(summary)->cause, Remedy::larger_fleet);
}

TEST(PoolsThatShareRequests, are_full_of_prompts_too) {
  const GroupSummary busy = instance_with(10, 0, 10);
  RunRecord record = record_of({busy, busy, busy});
  record.instances[0].prefill_work = microseconds(80'000'000);
  const Pools pools = pools_of(record, {busy, busy, busy}, Bottleneck{}, fast_and_slow());
  EXPECT_NEAR(pools.pools[0].fullness, 0.9, 1e-9) << "its decodes are short of time";
  EXPECT_NEAR(pools.pools[1].fullness, 0.1, 1e-9);
}

TEST(PoolsThatShareRequests, need_more_instances_where_all_are_short) {
  Summary summary = summary_of(instance_with(90, 50, 10), instance_with(95, 0, 10));
  summary.arriving_work = {.prompts = 1.5, .answers = 4.5};
  EXPECT_EQ(summary.pools.verdict, PoolVerdict::all_short);
  EXPECT_EQ(*lever_of_pools(summary), (Because<Remedy>{Remedy::larger_fleet, 6, 3}));
  summary.arriving_work = {.prompts = 0, .answers = 4};
  EXPECT_EQ(*lever_of_pools(summary), (Because<Remedy>{Remedy::larger_fleet, 5, 3}));
  EXPECT_EQ(enlarged(summary.pools, 4).pools[1].instances, 3) << "as the lever counts them";
}

TEST(PoolsThatShareRequests, are_idle_where_all_have_room) {
  EXPECT_EQ(summary_of(instance_with(10, 0, 10), instance_with(20, 1, 10)).pools.verdict,
            PoolVerdict::idle);
}

Deployment split_deployment() {
  Deployment deployment = fast_and_slow();
  deployment.pools[0].name = "prefill";
  deployment.pools[0].role = PoolRole::prefill;
  deployment.pools[1].name = "decode";
  deployment.pools[1].role = PoolRole::decode;
  return deployment;
}

TEST(SplitPools, are_short_of_decode_alone_where_prompts_wait_for_it) {
  GroupSummary prefill = instance_with(2, 900, 0);
  prefill.utilization = 0.1;
  const GroupSummary decode = instance_with(97, 2, 10);
  const RunRecord record = split_record_of({prefill, decode, decode});
  Bottleneck shares;
  shares.queue_share = 0.7;
  shares.decode_wait_share = 0.2;
  const Pools pools = pools_of(record, {prefill, decode, decode}, shares, split_deployment());
  EXPECT_EQ(pools.verdict, PoolVerdict::decode_short);
  prefill.utilization = 0.95;
  EXPECT_EQ(pools_of(record, {prefill, decode, decode}, shares, split_deployment()).verdict,
            PoolVerdict::both_short);
}

Pools two_pools(std::int64_t prefill, std::int64_t decode, double prefill_load, double decode_load,
                PoolVerdict verdict) {
  Pools pools;
  pools.split = true;
  pools.pools.resize(2);
  pools.pools[0].role = PoolRole::prefill;
  pools.pools[0].instances = prefill;
  pools.pools[1].role = PoolRole::decode;
  pools.pools[1].instances = decode;
  pools.prefill_load = prefill_load;
  pools.decode_load = decode_load;
  pools.verdict = verdict;
  return pools;
}

TEST(SplitPools, are_divided_better_only_where_one_is_short_and_the_other_has_room) {
  Pools pools = two_pools(1, 3, 1, 0.5, PoolVerdict::prefill_short);
  const auto better = better_division(pools);
  ASSERT_TRUE(better.has_value());
  EXPECT_EQ(better->prefill, 3);
  EXPECT_EQ(better->decode, 1);
  pools.verdict = PoolVerdict::balanced;
  EXPECT_FALSE(better_division(pools));
  pools.verdict = PoolVerdict::prefill_short;
  pools.decode_load = 3;  // no division of four has room for four
  EXPECT_FALSE(better_division(pools));
}

TEST(SplitPools, wait_for_their_link_where_it_is_full) {
  Deployment deployment = split_deployment();
  deployment.disaggregation.transfer.gb_per_s = 2;
  Summary summary;
  summary.instances = {instance_with(20, 0, 0), instance_with(95, 0, 10), instance_with(95, 0, 10)};
  RunRecord record = split_record_of(summary.instances);
  for (InstanceRecord& r : record.instances) r.end = Time{10'000'000'000};
  record.transfers.begun = 100;
  record.transfers.begun_at_port = {19e9, 9e9, 10e9};  // one port for prefill: 20 at most
  summary.offered_rps = 20;
  summary.cluster.responses_per_sec = 10;
  summary.pools = pools_of(record, summary.instances, Bottleneck{}, deployment);
  EXPECT_EQ(summary.pools.verdict, PoolVerdict::link_short);
  EXPECT_DOUBLE_EQ(summary.pools.transfers.utilization, 0.95);
  const Limit limit = *limit_of_pools(summary);
  EXPECT_EQ(limit.resource, ShortResource::kv_link);
  EXPECT_EQ(limit.lever.cause, Remedy::faster_link);
  EXPECT_NEAR(limit.lever.figures[0], 20 * 19.0 / 120 / 0.85, 1e-9);  // 20 had no need of one
  deployment.pools[1].link_gb_per_s = 1;                              // of 10 GB, 9.5 are received
  record.transfers.begun_at_port = {9e9, 9e9, 10e9};
  summary.pools = pools_of(record, summary.instances, Bottleneck{}, deployment);
  EXPECT_EQ(summary.pools.transfers.pool, deployment.pools[1].name);
  EXPECT_DOUBLE_EQ(summary.pools.transfers.utilization, 0.95);
  EXPECT_DOUBLE_EQ(summary.pools.pools[0].link_utilization, 0.45);
  EXPECT_EQ(limit_of_pools(summary)->lever.cause, Remedy::faster_link_of_decode);
  EXPECT_EQ(limit_of_pools(summary)->lever.figures[1], 1);
  deployment.disaggregation.transfer.network_gb_per_s = 2;  // of 20 GB, 19.6 go through
  record.transfers.begun_whole = 19.6e9;
  summary.pools = pools_of(record, summary.instances, Bottleneck{}, deployment);
  EXPECT_TRUE(summary.pools.transfers.is_network);
  EXPECT_EQ(limit_of_pools(summary)->lever.cause, Remedy::faster_network);
  deployment.disaggregation.transfer.shared = false;
  summary.pools = pools_of(record, summary.instances, Bottleneck{}, deployment);
  EXPECT_NE(summary.pools.verdict, PoolVerdict::link_short);
  EXPECT_FALSE(limit_of_pools(summary));
}

TEST(SplitPools, of_a_fleet_file_are_sized_there_whatever_they_are_called) {
  Summary summary;
  summary.instances = {instance_with(90, 50, 0), instance_with(95, 0, 10),
                       instance_with(95, 0, 10)};
  const RunRecord record = split_record_of(summary.instances);
  Deployment deployment = split_deployment();
  summary.pools = pools_of(record, summary.instances, Bottleneck{}, deployment);
  EXPECT_EQ(lever_of_pools(summary)->cause, Remedy::divided_instances);
  deployment.has_fleet_file = true;
  summary.pools = pools_of(record, summary.instances, Bottleneck{}, deployment);
  EXPECT_EQ(lever_of_pools(summary)->cause, Remedy::divided_fleet);
}

TEST(Pools, of_instances_that_are_all_alike_are_none) {
  const Pools pools = pools_of(RunRecord{}, {}, Bottleneck{}, Deployment{});
  EXPECT_TRUE(pools.pools.empty());
  EXPECT_FALSE(pools.shares());
  EXPECT_TRUE(sizes_of(Deployment{}).empty());
}

// 9 for prefill and 3 that answer, which answer from 10 requests per second.
Summary split_in_pools(PoolVerdict verdict, ShortResource binds) {
  Summary summary;
  summary.instances.resize(12);
  summary.offered_rps = summary.cluster.responses_per_sec = 10;
  summary.pools = two_pools(9, 3, 6.6, 0.8, verdict);
  summary.bottleneck.limit = LimitKind::compute;
  summary.bottleneck.resource = binds;
  return summary;
}

TEST(SplitPools, grow_where_it_is_short_or_where_it_binds) {
  const auto grown = [](PoolVerdict verdict, ShortResource binds) {
    const Division more = division_that_may_hold(split_in_pools(verdict, binds));
    return std::pair(more.prefill, more.decode);
  };
  const std::pair<std::int64_t, std::int64_t> more_prefill{10, 3};
  const std::pair<std::int64_t, std::int64_t> more_decode{9, 4};
  EXPECT_EQ(grown(PoolVerdict::balanced, ShortResource::prefill_compute), more_prefill);
  EXPECT_EQ(grown(PoolVerdict::balanced, ShortResource::decode_bandwidth), more_decode);
  EXPECT_EQ(grown(PoolVerdict::balanced, ShortResource::nothing), more_prefill) << "the fuller one";
  EXPECT_EQ(grown(PoolVerdict::prefill_short, ShortResource::decode_bandwidth), more_prefill);
}

TEST(SplitPools, are_divided_as_what_was_tried_where_that_held) {
  Summary summary = split_in_pools(PoolVerdict::decode_short, ShortResource::nothing);
  summary.pools.tried = {{7, 5}, SteadyVerdict::overloaded};
  EXPECT_EQ(division_that_may_hold(summary).decode, 4);
  summary.pools.tried->verdict = SteadyVerdict::steady;
  EXPECT_EQ(division_that_may_hold(summary).prefill, 7);
  EXPECT_EQ(division_that_may_hold(summary).decode, 5);
}

TEST(SplitPools, grow_by_what_arrives_where_it_is_computed) {
  // A request a second, with 50 tokens of prompt and 101 of answer.
  const GroupSummary half = instance_with(50, 0, 10);
  RunRecord record = split_record_of({half, half, half});
  for (int i = 0; i < 10; ++i) {
    Request request;
    request.input_tokens = 50;
    request.output_tokens = 101;
    request.arrival = Time{} + microseconds(i * 1'000'000);
    record.requests.add(request);
  }
  record.instances[0].prefill_tokens = 500;  // 0.1 s each, where answers took 50 s of full batches
  record.instances[1].decode_tokens = record.instances[2].decode_tokens = 50'000;
  const Pools apart = pools_of(record, {half, half, half}, Bottleneck{}, split_deployment());
  EXPECT_NEAR(apart.arriving_prefill_load, 50 * 0.2, 1e-9);
  EXPECT_NEAR(apart.arriving_decode_load, 100 * 0.001, 1e-9);
  // Of the prompts half on an instance that answers.
  record.instances[1].prefill_tokens = 500;
  record.instances[1].prefill_work = microseconds(50'000'000);
  const Pools mixed = pools_of(record, {half, half, half}, Bottleneck{}, split_deployment());
  EXPECT_NEAR(mixed.arriving_prefill_load, 50 * 0.1, 1e-9);
  EXPECT_NEAR(mixed.arriving_decode_load, 50 * 0.05 + 100 * 0.001, 1e-9);
}

TEST(SplitPools, are_short_of_what_computes_the_prompts_that_wait) {
  GroupSummary prefill = instance_with(1, 0, 0);
  prefill.utilization = 0.02;
  const GroupSummary decode = instance_with(60, 20, 10);
  RunRecord record = split_record_of({prefill, decode, decode});
  Request request;
  record.requests.add(request);
  record.requests.outcome[0] = Outcome::completed;
  record.requests.scheduling_delay[0] = microseconds(1000);
  record.requests.e2e[0] = microseconds(5000);
  Bottleneck shares;
  shares.queue_share = 0.2;
  Summary summary;
  summary.pools = pools_of(record, {prefill, decode, decode}, shares, split_deployment());
  EXPECT_EQ(summary.pools.kept_prompts, 1);
  EXPECT_EQ(summary.pools.verdict, PoolVerdict::decode_short);
  const Division more = division_that_may_hold(summary);
  EXPECT_EQ(more.prefill, 1);
  EXPECT_EQ(more.decode, 3);
  record.requests.handoff.set(0, {.prefill_instance = 0}, 1);
  summary.pools = pools_of(record, {prefill, decode, decode}, shares, split_deployment());
  EXPECT_EQ(summary.pools.kept_prompts, 0);
  EXPECT_EQ(summary.pools.verdict, PoolVerdict::prefill_short);
}

TEST(SplitPools, are_bound_by_the_one_that_is_short) {
  const auto bound_by = [](PoolVerdict verdict, ShortResource found) {
    const auto limit = limit_of_pools(split_in_pools(verdict, found));
    return limit ? limit->resource : ShortResource::nothing;
  };
  EXPECT_EQ(bound_by(PoolVerdict::prefill_short, ShortResource::decode_bandwidth),
            ShortResource::prefill_compute);
  EXPECT_EQ(bound_by(PoolVerdict::decode_short, ShortResource::prefill_compute),
            ShortResource::decode_bandwidth);
  EXPECT_EQ(bound_by(PoolVerdict::decode_short, ShortResource::kv_memory), ShortResource::nothing)
      << "the memory of decode is what is short";
  EXPECT_EQ(bound_by(PoolVerdict::idle, ShortResource::decode_bandwidth), ShortResource::nothing);
}

}  // namespace
}  // namespace plimsoll
