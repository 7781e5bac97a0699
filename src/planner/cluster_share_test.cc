#include "planner/cluster_share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cluster/simulation.h"
#include "known_system.h"
#include "workload/synthetic.h"

namespace plimsoll {
namespace {

constexpr std::int32_t kAll = 45;

/// Eight places; a step takes 10 ms, and 1 ms more for each request in it. Caches keep prefixes.
ProbedSystem decoders() {
  reference::LinearModel model;
  model.step = 10'000;
  model.per_prefill_token = 10;
  model.per_decode_request = 1'000;
  ProbedSystem system;
  Pool& pool = system.deployment.main();
  pool.engine.max_num_seqs = 8;
  pool.engine.total_kv_blocks = 200;
  pool.num_instances = kAll;
  pool.step_time = std::make_shared<reference::LinearModel>(model);
  return system;
}

SyntheticSpec traffic(std::int64_t requests) {
  SyntheticSpec spec;
  spec.rate_rps = 27.0 * kAll;
  spec.num_requests = requests;
  spec.prompt = {40, 30, 2, 200};
  spec.output = {18, 10, 1, 60};
  spec.prefix_tokens = 64;
  return spec;
}

/// What became of each request, by its number.
std::map<std::int64_t, std::vector<std::int64_t>> fates(RequestSource& source,
                                                        std::int32_t instances) {
  Simulation simulation(resized(decoders().deployment, instances), source, {});
  simulation.advance();
  const RequestTable t = simulation.take_record().requests;
  std::map<std::int64_t, std::vector<std::int64_t>> all;
  for (std::size_t row = 0; row < t.size(); ++row) {
    all[t.id[row]] = {t.arrival[row].ns, t.scheduling_delay[row].ns, t.ttft[row].ns,
                      t.e2e[row].ns,     t.itl_sum[row].ns,          t.cached_tokens[row]};
  }
  return all;
}

TEST(ShareOfRequests, are_served_to_the_nanosecond_as_in_the_whole_cluster) {
  constexpr std::int64_t kRequests = 20'011;
  SyntheticSource source(traffic(kRequests));
  const auto whole = fates(source, kAll);
  for (const std::int32_t instances : {1, 7, 16, 44}) {
    ShareOfRequests share(std::make_unique<SyntheticSource>(traffic(kRequests)), kAll, instances);
    const auto part = fates(share, instances);
    EXPECT_NEAR(static_cast<double>(part.size()), kRequests * instances / double{kAll}, instances);
    EXPECT_EQ(share.passed(), kRequests);
    for (const auto& [id, fate] : part) ASSERT_EQ(fate, whole.at(id)) << id;
  }
}

TEST(ShareOfRequests, lie_evenly_between_the_others) {
  ShareOfRequests share(std::make_unique<SyntheticSource>(traffic(100)), 10, 4);
  Request request;
  std::vector<std::int64_t> numbers;
  while (numbers.size() < 6 && share.next(&request)) numbers.push_back(request.id);
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{0, 2, 5, 7, 10, 12}));
  EXPECT_EQ(share.passed(), 13);
}

TEST(ClusterShare, is_taken_only_where_instances_do_not_depend_on_each_other) {
  const Deployment alike = decoders().deployment;
  EXPECT_TRUE(are_independent(alike));
  Deployment other = alike;
  other.router = "least-loaded";
  EXPECT_FALSE(are_independent(other));
  other = alike;
  other.admission = "token-bucket";
  EXPECT_FALSE(are_independent(other));
  other = alike;
  other.flow_control.enabled = true;
  EXPECT_FALSE(are_independent(other));
  other = alike;
  other.tenant_budgets["a"] = 0.5;
  EXPECT_FALSE(are_independent(other));
  other = alike;
  other.pools.push_back(other.pools.front());
  EXPECT_FALSE(are_independent(other));
}

TEST(ClusterShare, has_as_many_instances_as_a_verdict_takes) {
  ProbedSystem system = decoders();
  system.deployment.main().num_instances = 1'000;
  const auto simulated = [&](double share, std::int64_t requests) {
    ProbeEffort effort;
    effort.share = share;
    return simulated_instances(system, effort, requests);
  };
  EXPECT_EQ(simulated(1, 1'000'000), 1'000);
  EXPECT_EQ(simulated(0.0625, 6'400'000), 63);
  EXPECT_EQ(simulated(0.001, 6'400'000), 16);
  EXPECT_EQ(simulated(0.6, 6'400'000), 1'000);  // too little would be saved
  EXPECT_EQ(simulated(0.0625, 100'000), 220);   // enough to say anything: 22,000 requests
  system.slos = *parse_slos("", "ttft_p99.9<1s");
  EXPECT_EQ(simulated(0.0625, 2'200'000), 100);  // 220,000 requests
}

// The same test, by all instances and by a share of them.
TEST(ClusterShare, gives_the_answers_and_figures_of_the_whole_cluster) {
  ProbedSystem system = decoders();
  system.slos = *parse_slos("", "ttft_p90<200ms");
  system.load = [](double rate_rps, std::int64_t requests) -> Result<Load> {
    SyntheticSpec spec = traffic(requests);
    spec.rate_rps = rate_rps;
    Load load;
    load.source = std::make_unique<SyntheticSource>(spec);
    return load;
  };
  ProbeEffort effort;
  effort.first_requests = 120'000;
  for (const double rate : {20.0 * kAll, 40.0 * kAll}) {
    effort.share = 1;
    const LoadProbe all = *probe_load(system, rate, effort);
    effort.share = 0.4;
    const LoadProbe part = *probe_load(system, rate, effort);
    EXPECT_EQ(all.simulated, kAll);
    EXPECT_EQ(part.simulated, 18);
    EXPECT_EQ(part.instances, kAll);
    EXPECT_EQ(part.answer, all.answer);
    EXPECT_EQ(part.answer, rate < 1'000 ? Answer::holds : Answer::fails);
    const auto is_near = [](double a, double b, double share) {
      EXPECT_NEAR(a, b, share * std::abs(b));
    };
    is_near(static_cast<double>(part.requests), static_cast<double>(all.requests), 0.01);
    is_near(part.state.backlog_growth_rps, all.state.backlog_growth_rps, 0.02);
    const GroupSummary& a = all.summary.cluster;
    const GroupSummary& p = part.summary.cluster;
    is_near(static_cast<double>(p.injected), static_cast<double>(a.injected), 0.01);
    is_near(static_cast<double>(p.completed), static_cast<double>(a.completed), 0.02);
    is_near(p.responses_per_sec, a.responses_per_sec, 0.02);
    is_near(p.tokens_per_sec, a.tokens_per_sec, 0.02);
    is_near(p.ttft.p50_ms, a.ttft.p50_ms, 0.05);
    is_near(p.utilization, a.utilization, 0.01);
    // The warm-up is found in each anew.
    is_near(static_cast<double>(part.slos[0].requests), static_cast<double>(all.slos[0].requests),
            0.1);
    for (const MetricInterval& interval : part.summary.intervals) {
      const MetricInterval* same = find_interval(all.summary.intervals, interval.metric);
      ASSERT_NE(same, nullptr) << interval.metric;
      EXPECT_LT(interval.low, 1.02 * same->high) << interval.metric;
      EXPECT_GT(interval.high, 0.98 * same->low) << interval.metric;
    }
  }
}

}  // namespace
}  // namespace plimsoll
