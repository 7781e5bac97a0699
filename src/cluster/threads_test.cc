// Does a run leave the same record on any number of threads?
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string>

#include "cluster/router.h"
#include "cluster/simulation.h"
#include "mixed_traffic.h"
#include "reference/linear_model.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

// More than two threads have at once, so that instances run while requests are still made.
constexpr int kManyRequests = 70'000;

Deployment cluster_of(int instances) {
  Deployment deployment;
  Pool& pool = deployment.main();
  pool.num_instances = instances;
  pool.engine.total_kv_blocks = 120;  // few: some lose their places
  pool.engine.max_num_seqs = 16;
  pool.step_time = std::make_shared<reference::LinearModel>();
  return deployment;
}

/// A share of the requests gives up while it waits, is refused, or asks for another model.
class ImpatientTraffic final : public RequestSource {
 public:
  bool next(Request* request) override {
    if (!traffic_.next(request)) return false;
    if (request->id % 7 == 0) request->deadline = request->arrival + milliseconds(60);
    if (request->id % 101 == 0) request->input_tokens = 5000;
    request->other_model = request->id % 103 == 0;
    return true;
  }

 private:
  MixedTraffic traffic_{kManyRequests, 1000};
};

using Drive = std::function<void(Simulation&)>;

void at_once(Simulation& simulation) { simulation.advance(); }

RunRecord run(const Deployment& deployment, SimulationOptions options, std::size_t threads,
              const Drive& drive = at_once) {
  ImpatientTraffic traffic;
  options.threads = threads;
  Simulation simulation(deployment, traffic, options);
  drive(simulation);
  EXPECT_EQ(simulation.progress().arrived, std::ssize(simulation.record().requests.arrival));
  return simulation.take_record();
}

void expect_equal(const RunRecord& one, const RunRecord& other) {
  EXPECT_EQ(one.requests.arrival, other.requests.arrival);
  EXPECT_EQ(one.requests.instance, other.requests.instance);
  EXPECT_EQ(one.requests.delay_to_last_admission, other.requests.delay_to_last_admission);
  EXPECT_EQ(one.requests.reason.values(), other.requests.reason.values());
  EXPECT_EQ(one.requests.preemptions.values(), other.requests.preemptions.values());
  EXPECT_EQ(one.requests.cached_tokens.values(), other.requests.cached_tokens.values());
  for (std::size_t row = 0; row < one.requests.size(); ++row) {
    ASSERT_EQ(one.requests.measured(row), other.requests.measured(row)) << row;
  }
  EXPECT_EQ(one.instances, other.instances);
  EXPECT_EQ(one.rejected_routing, other.rejected_routing);
}

void expect_equal_on_threads(const Deployment& deployment, const SimulationOptions& options,
                             const Drive& drive = at_once) {
  const RunRecord one = run(deployment, options, 1);
  for (const std::size_t threads : {2U, 4U}) {
    expect_equal(one, run(deployment, options, threads, drive));
  }
}

TEST(Threads, leave_the_same_record_with_every_router) {
  SLOW_SANITIZED();
  for (const RouterRow& router : routers()) {
    Deployment deployment = cluster_of(5);
    deployment.router = router.name;
    SCOPED_TRACE(router.name);
    expect_equal_on_threads(deployment, {});
  }
}

TEST(Threads, leave_the_same_record_of_unlike_instances_and_of_ranks) {
  Deployment deployment = cluster_of(9);
  Pool ranked = deployment.main();
  ranked.num_instances = 2;
  ranked.ranks = 2;
  deployment.pools.push_back(ranked);
  expect_equal_on_threads(deployment, {});
}

TEST(Threads, leave_the_same_record_in_the_semantics_of_the_reference) {
  SimulationOptions options;
  options.semantics = Semantics::blis();
  expect_equal_on_threads(cluster_of(5), options);
}

// At the horizon some requests are under way, some not yet at their instances.
TEST(Threads, leave_the_same_record_at_a_horizon) {
  Deployment deployment = cluster_of(5);
  deployment.routing_latency = milliseconds(20);
  SimulationOptions options;
  options.horizon = Time{} + milliseconds(20'000);
  expect_equal_on_threads(deployment, options);
}

TEST(Threads, leave_the_same_record_after_many_short_advances) {
  expect_equal_on_threads(cluster_of(5), {}, [](Simulation& simulation) {
    AdvanceLimit limit;
    for (limit.requests = 0; !simulation.advance(limit); limit.requests += 7001) {
    }
  });
  expect_equal_on_threads(cluster_of(5), {}, [](Simulation& simulation) {
    AdvanceLimit limit;
    for (limit.time = {}; !simulation.advance(limit); limit.time = limit.time + milliseconds(777)) {
    }
  });
}

// Each look of the monitor ends an advance.
TEST(Threads, leave_the_same_record_where_a_monitor_stops_them) {
  class Stopping final : public Monitor {
   public:
    bool keep_going(const Progress& progress) override {
      EXPECT_LE(progress.finished, progress.arrived);
      return ++looks % 5 != 0;
    }
    int looks = 0;
  };
  expect_equal_on_threads(cluster_of(5), {}, [](Simulation& simulation) {
    Stopping monitor;
    while (!simulation.advance({}, &monitor)) {
    }
    EXPECT_GT(monitor.looks, 5);
  });
}

}  // namespace
}  // namespace plimsoll
