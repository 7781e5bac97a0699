// Does every row of the routing tables serve everybody, within the limits, and the same way each
// time? A new policy or scorer needs no test of its own for that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

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

// Requests with sessions, with tenants only and without either. Renumbered, as a recording of them
// would be: other indices and contents that tell the same requests apart.
class LabelledTraffic final : public RequestSource {
 public:
  explicit LabelledTraffic(bool renumbered) : renumbered_(renumbered) {}

  bool next(Request* request) override {
    if (!traffic_.next(request)) return false;
    RequestTags& tags = request->tags;
    if (tags.session % 2 == 0) tags.tenant = tags.session % 5;
    if (tags.session % 3 == 0) tags.session = -1;
    if (!renumbered_) return true;
    if (tags.tenant >= 0) tags.tenant = 40 - tags.tenant;
    if (tags.session >= 0) tags.session = 1000 - tags.session;
    if (request->prefix.empty()) return true;
    const PrefixSegment known = request->prefix.front();
    const PrefixSegment renumbered{500 - known.content, known.tokens};
    request->prefix = {&segments_.emplace(known.content, renumbered).first->second, 1};
    return true;
  }

 private:
  const bool renumbered_;
  MixedTraffic traffic_{kRequests};
  std::map<std::uint64_t, PrefixSegment> segments_;
};

TEST_P(EveryPolicy, routes_alike_whatever_numbers_the_source_has_for_things) {
  std::vector<std::int32_t> routed[2];
  for (const bool renumbered : {false, true}) {
    LabelledTraffic traffic(renumbered);
    Simulation simulation(deployment(milliseconds(50)), traffic, {});
    simulation.advance();
    routed[renumbered ? 1 : 0] = simulation.take_record().requests.instance;
  }
  EXPECT_EQ(routed[0], routed[1]);
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
