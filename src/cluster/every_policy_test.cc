// Does every row of the routing tables serve everybody, within the limits, and the same way each
// time? A new policy or scorer needs no test of its own for that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "cluster/router.h"
#include "cluster/scorer.h"
#include "cluster/simulation.h"
#include "mixed_traffic.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

struct Policy {
  std::string router;
  std::string scorers;
};

std::vector<Policy> all_policies() {
  std::vector<Policy> all;
  for (const RouterRow& row : routers()) all.push_back({row.name, ""});
  for (const ScorerRow& row : scorers()) all.push_back({"weighted", row.name + ":1"});
  all.push_back({"weighted", "prefix-affinity:5,queue-depth:1"});
  return all;
}

class EveryPolicy : public testing::TestWithParam<Policy> {
 protected:
  Deployment deployment(Duration refresh) const {
    Deployment deployment;
    deployment.num_instances = 5;
    deployment.router = GetParam().router;
    deployment.engine.total_kv_blocks = 120;
    deployment.engine.max_num_seqs = 16;
    deployment.step_time = std::make_shared<reference::LinearModel>();
    if (!GetParam().scorers.empty()) deployment.scorers = *parse_scorers(GetParam().scorers);
    deployment.snapshot_refresh_interval = refresh;
    deployment.cache_signal_delay = refresh;
    return deployment;
  }
};

constexpr int kRequests = 3000;

RunRecord run(const Deployment& deployment, Duration step = kNoDuration) {
  MixedTraffic traffic(kRequests);
  Simulation simulation(deployment, traffic, {});
  if (step != kNoDuration) {
    for (Time until; !simulation.advance({.time = until}); until = until + step) {
    }
  }
  simulation.advance();
  return simulation.take_record();
}

TEST_P(EveryPolicy, serves_everybody_within_the_limits) {
  const Deployment limits = deployment(milliseconds(50));
  const RunRecord record = run(limits);
  EXPECT_EQ(record.requests.size(), std::size_t{kRequests});
  std::vector<std::int64_t> routed(5);
  for (std::size_t row = 0; row < record.requests.size(); ++row) {
    EXPECT_EQ(record.requests.outcome[row], Outcome::completed);
    ASSERT_TRUE(record.requests.instance[row] >= 0 && record.requests.instance[row] < 5);
    ++routed[static_cast<std::size_t>(record.requests.instance[row])];
  }
  for (std::size_t i = 0; i < record.instances.size(); ++i) {
    const InstanceRecord& instance = record.instances[i];
    EXPECT_EQ(instance.completed, routed[i]);
    EXPECT_EQ(instance.still_queued + instance.still_running, 0);
    EXPECT_LE(instance.peak_kv_blocks, limits.engine.total_kv_blocks);
    EXPECT_LE(instance.batch_request_steps, limits.engine.max_num_seqs * instance.steps);
  }
}

// Stale and live views; nor does it matter how far the instances run between two look-ups.
TEST_P(EveryPolicy, routes_the_same_way_each_time) {
  for (const Duration refresh : {milliseconds(50), Duration{}}) {
    const RunRecord once = run(deployment(refresh));
    const RunRecord again = run(deployment(refresh));
    const RunRecord stepwise = run(deployment(refresh), milliseconds(7));
    EXPECT_EQ(once.requests.instance, again.requests.instance);
    EXPECT_EQ(once.requests.instance, stepwise.requests.instance);
    EXPECT_EQ(once.requests.e2e, again.requests.e2e);
    EXPECT_EQ(once.requests.e2e, stepwise.requests.e2e);
  }
}

INSTANTIATE_TEST_SUITE_P(Routers, EveryPolicy, testing::ValuesIn(all_policies()),
                         [](const auto& policy) {
                           std::string name = policy.param.router + "_" + policy.param.scorers;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace plimsoll
