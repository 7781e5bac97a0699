// Does every row of the tables of policies serve everybody, within the limits, and the same way
// each time, whatever its parameters? A new policy needs no test of its own for that. (Those of the
// engine: engine/every_batching_rule_test.cc.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "cluster/admission.h"
#include "cluster/gateway_queue.h"
#include "cluster/pd_decider.h"
#include "cluster/router.h"
#include "cluster/saturation_signal.h"
#include "cluster/scorer.h"
#include "cluster/simulation.h"
#include "mixed_traffic.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

struct Policy {
  std::string name;
  Deployment deployment;
  bool turns_away = false;  ///< it may leave requests unserved
};

Deployment five_instances() {
  Deployment deployment;
  deployment.main().num_instances = 5;
  deployment.main().engine.total_kv_blocks = 120;
  deployment.main().engine.max_num_seqs = 16;
  deployment.main().step_time = std::make_shared<reference::LinearModel>();
  return deployment;
}

/// A row as it usually is, then with the least and the greatest that each parameter may be.
template <class Row, class Choose>
void add_rows(std::vector<Policy>* all, const std::vector<Row>& table, Choose choose,
              bool turns_away = false) {
  for (const Row& row : table) {
    Policy policy{row.name, five_instances(), turns_away};
    choose(policy.deployment, row.name);
    all->push_back(policy);
    for (const PolicyParameter& parameter : row.parameters) {
      const double least = parameter.range.min + (parameter.range.above_min ? 0.125 : 0);
      for (const double value : {least, std::min(parameter.range.max, 1e9)}) {
        Policy other = policy;
        other.name += fmt::format("_{}_{:.0f}", parameter.name, value);
        other.deployment.parameters[parameter.name] = value;
        all->push_back(other);
      }
    }
  }
}

/// Two fast instances and three slow ones with less memory and fewer places.
Deployment unlike_instances() {
  Deployment deployment = five_instances();
  Pool slow = deployment.main();
  slow.num_instances = 3;
  slow.engine.total_kv_blocks = 100;
  slow.engine.max_num_seqs = 8;
  reference::LinearModel steps;
  steps.step *= 4;
  slow.step_time = std::make_shared<reference::LinearModel>(steps);
  deployment.main().num_instances = 2;
  deployment.main().speed = 4;
  deployment.pools.push_back(slow);
  return deployment;
}

// Whatever chooses an instance, among unlike ones.
void add_with_unlike_instances(std::vector<Policy>* all) {
  const std::vector<Policy> alike = *all;
  for (const Policy& policy : alike) {
    Policy unlike = policy;
    unlike.name += "_unlike";
    unlike.deployment.pools = unlike_instances().pools;
    all->push_back(unlike);
  }
}

std::vector<Policy> all_policies() {
  std::vector<Policy> all;
  add_rows(&all, routers(), [](Deployment& d, const std::string& name) { d.router = name; });
  const auto by_score = [](Deployment& d, const std::string& name) {
    d.router = "weighted";
    d.scorers = {{name, 1}};
  };
  add_rows(&all, scorers(), by_score);
  Policy mixed{"two_scorers", five_instances()};
  mixed.deployment.router = "weighted";
  mixed.deployment.scorers = {{"prefix-affinity", 5}, {"queue-depth", 1}};
  all.push_back(mixed);
  add_with_unlike_instances(&all);
  add_rows(&all, pd_deciders(), [](Deployment& d, const std::string& name) {
    Pool prefill = d.main();
    prefill.role = PoolRole::prefill;
    prefill.num_instances = 2;
    prefill.kv.bytes_per_token = 1e5;
    d.main().num_instances = 3;
    d.pools.insert(d.pools.begin(), prefill);
    d.disaggregation.decider = name;
  });
  add_rows(
      &all, admission_policies(),
      [](Deployment& d, const std::string& name) { d.admission = name; }, true);
  const auto at_gateway = [](Setting<std::string> FlowControl::*choice) {
    return [choice](Deployment& d, const std::string& name) {
      d.flow_control.enabled = true;
      d.flow_control.signal = "concurrency";
      d.parameters["max-concurrency"] = 8;
      d.flow_control.*choice = name;
    };
  };
  add_rows(&all, saturation_signals(), at_gateway(&FlowControl::signal));
  add_rows(&all, dispatch_orders(), at_gateway(&FlowControl::order));
  add_rows(&all, fairness_policies(), at_gateway(&FlowControl::fairness));
  return all;
}

class EveryPolicy : public testing::TestWithParam<Policy> {
 protected:
  Deployment deployment(Duration refresh) const {
    Deployment deployment = GetParam().deployment;
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
    if (GetParam().turns_away && record.requests.outcome[row] != Outcome::completed) {
      EXPECT_TRUE(record.requests.outcome[row] == Outcome::rejected ||
                  record.requests.outcome[row] == Outcome::shed);
      continue;
    }
    EXPECT_EQ(record.requests.outcome[row], Outcome::completed);
    ASSERT_TRUE(record.requests.instance[row] >= 0 && record.requests.instance[row] < 5);
    ++routed[static_cast<std::size_t>(record.requests.instance[row])];
  }
  for (std::size_t i = 0; i < record.instances.size(); ++i) {
    const InstanceRecord& instance = record.instances[i];
    EXPECT_EQ(instance.completed, routed[i]);
    EXPECT_EQ(instance.still_queued + instance.still_running, 0);
    EXPECT_LE(instance.peak_kv_blocks, limits.main().engine.total_kv_blocks);
    EXPECT_LE(instance.batch_request_steps, limits.main().engine.max_num_seqs * instance.steps);
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
  explicit LabelledTraffic(bool renumbered) : renumbered_(renumbered) {
    for (int tenant = 0; tenant <= 40; ++tenant) {
      labels_.tenants.push_back("tenant " + std::to_string(renumbered ? 40 - tenant : tenant));
    }
  }

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

  const Labels& labels() const override { return labels_; }

 private:
  const bool renumbered_;
  Labels labels_;
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

INSTANTIATE_TEST_SUITE_P(Cluster, EveryPolicy, testing::ValuesIn(all_policies()),
                         [](const auto& policy) {
                           std::string name =
                               std::to_string(policy.index) + "_" + policy.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace plimsoll
