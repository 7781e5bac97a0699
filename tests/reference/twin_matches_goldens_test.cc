// Is the twin itself right? It must give what the public reference simulator was observed to give.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "reference/cluster.h"
#include "reference/goldens.h"

namespace plimsoll::reference {
namespace {

std::vector<GoldenResult> results_of(const Record& record) {
  std::vector<GoldenResult> results;
  for (const RequestResult& r : record.requests) {
    Duration sum;
    for (const Duration gap : r.itl) sum += gap;
    results.push_back({r.outcome, r.instance, r.scheduling_delay, r.ttft, r.e2e, sum,
                       static_cast<std::int64_t>(r.itl.size())});
  }
  return results;
}

GoldenTotals totals_of(const Record& record) {
  GoldenTotals totals;
  InstanceRecord& sum = totals.sum;
  for (const InstanceResult& instance : record.instances) {
    const InstanceRecord& counters = instance.counters;
    sum.completed += counters.completed;
    sum.length_capped += counters.length_capped;
    sum.timed_out += counters.timed_out;
    sum.dropped += counters.dropped;
    sum.still_queued += counters.still_queued;
    sum.still_running += counters.still_running;
    sum.total_input_tokens += counters.total_input_tokens;
    sum.total_output_tokens += counters.total_output_tokens;
    sum.preemptions += counters.preemptions;
    sum.kv_allocation_failures += counters.kv_allocation_failures;
    sum.cache_hit_blocks += counters.cache_hit_blocks;
    sum.cache_miss_blocks += counters.cache_miss_blocks;
    sum.steps += counters.steps;
    sum.peak_kv_blocks = std::max(sum.peak_kv_blocks, counters.peak_kv_blocks);
    sum.end = std::max(sum.end, counters.end);
    totals.kv_block_us += static_cast<double>(instance.kv_block_ns) / 1e3;
    totals.batch_sizes.insert(totals.batch_sizes.end(), instance.batch_sizes.begin(),
                              instance.batch_sizes.end());
    totals.queue_lengths.insert(totals.queue_lengths.end(), instance.queue_lengths.begin(),
                                instance.queue_lengths.end());
  }
  return totals;
}

std::vector<std::int64_t> pooled_itls_us(const Record& record) {
  std::vector<std::int64_t> itls;
  for (const InstanceResult& instance : record.instances) {
    for (const Duration gap : instance.itl) itls.push_back(gap.ns / 1000);
  }
  std::sort(itls.begin(), itls.end());
  return itls;
}

TEST(TwinMatchesGoldens, in_every_engine_case) {
  int compared = 0;
  for (const Json& golden : golden_cases("engine")) {
    const std::string name = golden.at("name");
    if (!is_engine_feature(name)) continue;
    SCOPED_TRACE(name);
    const GoldenRequests requests = read_requests(golden.at("requests"));
    const Time horizon = golden.contains("horizon_us") ? at_us(golden.at("horizon_us")) : kNever;
    const LinearModel model = read_model(golden);
    const Record result =
        simulate_stand_alone(read_engine(golden), model, requests.requests, horizon);
    const Json& expected = golden.at("expected");
    expect_rows(expected.at("requests"), requests, results_of(result));
    expect_totals(expected, totals_of(result));
    EXPECT_EQ(pooled_itls_us(result),
              expected.value("all_itls_sorted_us", std::vector<std::int64_t>{}));
    EXPECT_EQ(result.used_blocks_at_end, expected.at("final_used_blocks"));
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no recorded runs of the reference here";
  EXPECT_EQ(compared, 35);
}

/// The step times of the one cluster case, read off its rows, so that the twin does not lean on
/// the product's own step-time model.
struct RecordedSteps final : StepTimeModel {
  double step_us(const BatchShape& batch) const override {
    if (batch.prefill_tokens == 256) return batch.decode_requests == 1 ? 7416 : 7392;
    return batch.decode_requests == 2 ? 6878 : 6854;
  }
  double queueing_us(std::int64_t) const override { return 15563; }
  double output_token_us() const override { return 45; }
  double post_decode_us() const override { return 777; }
};

TEST(TwinMatchesGoldens, with_two_instances_on_one_clock) {
  int compared = 0;
  for (const Json& golden : golden_cases("cluster")) {
    if (golden.at("name") != "plain_two_instances_rr") continue;
    const GoldenRequests requests = read_requests(golden.at("requests"));
    Deployment deployment;
    deployment.main().num_instances = golden.at("num_instances");
    deployment.main().engine = read_engine(golden);
    deployment.main().step_time = std::make_shared<RecordedSteps>();
    const Record record =
        simulate(deployment, Semantics::blis(), requests.requests, kNever, nullptr);
    expect_rows(golden.at("expected").at("requests"), requests, results_of(record));
    expect_totals(golden.at("expected"), totals_of(record));
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no recorded runs of the reference here";
}

}  // namespace
}  // namespace plimsoll::reference
