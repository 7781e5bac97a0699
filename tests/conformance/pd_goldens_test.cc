// Do clusters, split ones above all, give what the public reference simulator was observed to give?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/gpu.h"
#include "cluster/simulation.h"
#include "perf/kv_capacity.h"
#include "perf/latency_models.h"
#include "reference/goldens.h"

namespace plimsoll {
namespace {

using reference::GoldenRequests;
using reference::Json;

class Requests final : public RequestSource {
 public:
  explicit Requests(const std::vector<Request>& requests) : requests_(requests) {}
  bool next(Request* request) override {
    if (next_ == requests_.size()) return false;
    *request = requests_[next_++];
    return true;
  }

 private:
  const std::vector<Request>& requests_;
  std::size_t next_ = 0;
};

Pool pool_of(const Json& golden, PoolRole role, const char* instances) {
  const auto model = find_model(golden.at("model_config").get<std::string>());
  const auto gpu = find_gpu(golden.at("gpu").get<std::string>(), SemanticsMode::blis);
  LatencyInputs inputs{model->config, *gpu, {}, {}};
  inputs.parallelism.tp = golden.at("tp");
  inputs.shapes = ModelShapes::reference;
  Pool pool;
  pool.role = role;
  pool.num_instances = golden.at(instances);
  pool.engine = reference::read_engine(golden);
  pool.step_time = *make_latency_model(golden.at("backend").get<std::string>(), inputs);
  pool.kv.bytes_per_token = *kv_bytes_per_token_per_gpu(inputs.model, inputs.parallelism.tp,
                                                        KvBudget::summed, ModelShapes::reference);
  return pool;
}

Deployment deployment_of(const Json& golden) {
  Deployment deployment;
  if (golden.at("prefill_instances") == 0) {
    deployment.pools = {pool_of(golden, PoolRole::serve, "num_instances")};
    return deployment;
  }
  deployment.pools = {pool_of(golden, PoolRole::prefill, "prefill_instances"),
                      pool_of(golden, PoolRole::decode, "decode_instances")};
  Disaggregation& apart = deployment.disaggregation;
  apart.decider = golden.at("pd_decider");
  if (golden.contains("pd_prefix_threshold")) {
    deployment.parameters["pd-prefix-threshold"] = golden.at("pd_prefix_threshold").get<double>();
  }
  apart.transfer.gb_per_s = golden.at("pd_bw_gbps");
  apart.transfer.latency =
      microseconds(static_cast<std::int64_t>(golden.at("pd_base_ms").get<double>() * 1000));
  apart.transfer.shared = golden.value("pd_contention", false);
  return deployment;
}

void expect_row(const Json& row, const RequestTable& table, std::size_t i) {
  EXPECT_EQ(table.ttft[i].ns, row.at("ttft_us").get<std::int64_t>() * 1000);
  EXPECT_EQ(table.e2e[i].ns, row.at("e2e_us").get<std::int64_t>() * 1000);
  EXPECT_EQ(table.scheduling_delay[i].ns, row.at("scheduling_delay_us").get<std::int64_t>() * 1000);
  EXPECT_EQ("instance_" + std::to_string(table.instance[i]), row.at("handled_by"));
  const double tpot = table.itl_count[i] == 0
                          ? 0.0
                          : to_us(table.itl_sum[i]) / static_cast<double>(table.itl_count[i]);
  EXPECT_DOUBLE_EQ(tpot, row.at("tpot_us").get<double>());
}

void expect_totals(const Json& expected, const RunRecord& record) {
  InstanceRecord sum;
  for (const InstanceRecord& r : record.instances) {
    sum.completed += r.completed;
    sum.dropped += r.dropped;
    sum.preemptions += r.preemptions;
    sum.kv_allocation_failures += r.kv_allocation_failures;
    sum.total_input_tokens += r.total_input_tokens;
    sum.total_output_tokens += r.total_output_tokens;
    sum.steps += r.steps;
    sum.kv_block_us += r.kv_block_us;
    sum.peak_kv_blocks = std::max(sum.peak_kv_blocks, r.peak_kv_blocks);
    sum.end = std::max(sum.end, r.end);
  }
  EXPECT_EQ(sum.completed, expected.at("completed"));
  EXPECT_EQ(sum.dropped, expected.at("dropped_unservable"));
  EXPECT_EQ(sum.preemptions, expected.at("preemptions"));
  EXPECT_EQ(sum.kv_allocation_failures, expected.at("kv_allocation_failures"));
  EXPECT_EQ(sum.total_input_tokens, expected.at("total_input_tokens"));
  EXPECT_EQ(sum.total_output_tokens, expected.at("total_output_tokens"));
  EXPECT_EQ(sum.steps, expected.at("steps"));
  EXPECT_EQ(sum.kv_block_us, expected.at("kv_block_us_integral"));
  EXPECT_EQ(sum.peak_kv_blocks, expected.at("peak_kv_blocks"));
  EXPECT_EQ(sum.end.ns, expected.at("sim_ended_us").get<std::int64_t>() * 1000);
}

TEST(ClusterMatchesGoldens, in_every_case_split_or_not) {
  int compared = 0;
  for (const Json& golden : reference::golden_cases("cluster")) {
    SCOPED_TRACE(golden.at("name").get<std::string>());
    const GoldenRequests requests = reference::read_requests(golden.at("requests"));
    Requests source(requests.requests);
    SimulationOptions options;
    options.semantics = Semantics::blis();
    Simulation simulation(deployment_of(golden), source, options);
    simulation.advance();
    const RunRecord record = simulation.take_record();
    const Json& expected = golden.at("expected");
    for (std::size_t i = 0; i < requests.names.size(); ++i) {
      SCOPED_TRACE(requests.names[i]);
      const Json& rows = expected.at("requests");
      const auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const Json& r) { return r.at("id") == requests.names[i]; });
      ASSERT_NE(row, rows.end());
      expect_row(*row, record.requests, i);
    }
    expect_totals(expected, record);
    EXPECT_EQ(golden.value("pd_contention", false) ? record.transfers.most_at_once : 0,
              expected.at("peak_concurrent_transfers"));
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no recorded runs of the reference here";
  EXPECT_EQ(compared, 8);
}

}  // namespace
}  // namespace plimsoll
