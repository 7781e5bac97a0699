// Does each routing policy choose as it says? What all have to do asks every_policy_test.cc.
#include "cluster/router.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace plimsoll {
namespace {

Deployment cluster_of(int instances, const std::string& router) {
  Deployment deployment;
  deployment.main().num_instances = instances;
  deployment.router = router;
  return deployment;
}

std::vector<std::size_t> choices(Router& router, const InstanceViews& views, int n) {
  std::vector<std::size_t> chosen;
  for (int i = 0; i < n; ++i) chosen.push_back(router.route(Request{}, views));
  return chosen;
}

std::map<std::size_t, int> counts(const std::vector<std::size_t>& chosen) {
  std::map<std::size_t, int> counts;
  for (const std::size_t i : chosen) ++counts[i];
  return counts;
}

TEST(Routers, round_robin_takes_one_after_the_other) {
  const auto router = make_router(cluster_of(3, "round-robin"), 1);
  EXPECT_EQ(choices(*router, InstanceViews(3), 4), (std::vector<std::size_t>{0, 1, 2, 0}));
}

TEST(Routers, least_loaded_and_always_busiest_go_by_queue_batch_and_flight) {
  InstanceViews views(4);
  views.queue_depth = {1, 0, 0, 2};
  views.batch_size = {0, 2, 0, 0};
  views.in_flight = {1, 1, 2, 1};
  const auto least = make_router(cluster_of(4, "least-loaded"), 1);
  const auto even = counts(choices(*least, views, 1000));  // 2, 3, 2, 3
  EXPECT_EQ(even.size(), 2u);
  EXPECT_NEAR(even.at(0), 500, 80);  // five standard deviations of a fair coin
  EXPECT_NEAR(even.at(2), 500, 80);
  const auto busiest = make_router(cluster_of(4, "always-busiest"), 1);
  EXPECT_EQ(choices(*busiest, views, 2), (std::vector<std::size_t>{1, 1}));
}

TEST(Routers, power_of_two_avoids_only_the_worst) {
  InstanceViews views(3);
  views.in_flight = {5, 1, 3};
  const auto router = make_router(cluster_of(3, "power-of-two"), 1);
  // Of the three pairs two have the best, and the last one has the middle.
  const auto drawn = counts(choices(*router, views, 3000));
  EXPECT_EQ(drawn.count(0), 0u);
  EXPECT_NEAR(drawn.at(1), 2000, 130);
  EXPECT_NEAR(drawn.at(2), 1000, 130);
}

TEST(Routers, round_robin_of_many_gateways_is_even_only_in_the_long_run) {
  const InstanceViews views(4);
  Deployment cluster = cluster_of(4, "round-robin");
  EXPECT_EQ(choices(*make_router(cluster, 1), views, 6),
            (std::vector<std::size_t>{0, 1, 2, 3, 0, 1}));
  cluster.parameters["gateways"] = 1000.0;  // as many as requests: chance
  const auto drawn = counts(choices(*make_router(cluster, 1), views, 1000));
  std::size_t differ = 0;
  for (const auto& [instance, times] : drawn) differ += times != 250;
  EXPECT_GT(differ, 0u);
  cluster.parameters["gateways"] = 2.0;  // each is off by one at most
  for (const auto& [instance, times] : counts(choices(*make_router(cluster, 1), views, 1000))) {
    EXPECT_NEAR(times, 250, 2) << instance;
  }
}

TEST(Routers, weighted_round_robin_deals_by_speed_and_never_in_bursts) {
  InstanceViews views(3);
  const auto alike = make_router(cluster_of(3, "weighted-round-robin"), 1);
  EXPECT_EQ(choices(*alike, views, 4), (std::vector<std::size_t>{0, 1, 2, 0})) << "as round-robin";
  views.speed = {1, 0.25, 0.25};
  const auto router = make_router(cluster_of(3, "weighted-round-robin"), 1);
  EXPECT_EQ(choices(*router, views, 6), (std::vector<std::size_t>{0, 0, 1, 0, 2, 0}));
}

TEST(Routers, that_go_by_load_know_that_a_fast_instance_bears_more_of_it) {
  InstanceViews views(2);
  views.speed = {1, 0.25};
  for (const char* policy : {"least-loaded", "power-of-two"}) {
    const auto router = make_router(cluster_of(2, policy), 1);
    views.in_flight = {5, 0};  // 7 / 1 and 2 / 0.25
    EXPECT_EQ(router->route(Request{}, views), 0u) << policy;
    views.in_flight = {7, 0};  // 9 / 1
    EXPECT_EQ(router->route(Request{}, views), 1u) << policy;
  }
}

Request of_session(std::int32_t session) {
  Request request;
  request.tags.session = session;
  return request;
}

TEST(Routers, session_affinity_keeps_sessions_together_and_moves_few_when_it_grows) {
  const auto ten = make_router(cluster_of(10, "session-affinity"), 1);
  const auto eleven = make_router(cluster_of(11, "session-affinity"), 1);
  std::map<std::size_t, int> load;
  int moved = 0;
  for (std::int32_t s = 0; s < 10'000; ++s) {
    const std::size_t at = ten->route(of_session(s), InstanceViews(10));
    EXPECT_EQ(ten->route(of_session(s), InstanceViews(10)), at);
    ++load[at];
    const std::size_t then = eleven->route(of_session(s), InstanceViews(11));
    if (then != at) {
      EXPECT_EQ(then, 10u);
      ++moved;
    }
  }
  for (const auto& [instance, sessions] : load) EXPECT_NEAR(sessions, 1000, 150) << instance;
  EXPECT_NEAR(moved, 10'000 / 11, 150);
}

TEST(Routers, session_affinity_falls_back_on_prefix_tenant_and_none) {
  const auto router = make_router(cluster_of(10, "session-affinity"), 1);
  const InstanceViews views(10);
  const PrefixSegment prefix{77, 32};
  Request shared;
  shared.prefix = {&prefix, 1};
  shared.tags.tenant = 3;
  const std::size_t at = router->route(shared, views);
  for (std::int32_t tenant = 0; tenant < 20; ++tenant) {
    shared.tags.tenant = tenant;  // the prefix counts before the tenant
    EXPECT_EQ(router->route(shared, views), at);
  }
  std::set<std::size_t> seen;
  for (std::int32_t tenant = 0; tenant < 100; ++tenant) {
    Request request;
    request.tags.tenant = tenant;
    seen.insert(router->route(request, views));
  }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(counts(choices(*router, views, 1000)).size(), 10u);
}

TEST(Routers, weighted_adds_up_the_scores_and_draws_among_equals) {
  Deployment deployment = cluster_of(4, "weighted");
  deployment.scorers = {{"queue-depth", 3}, {"kv-utilization", 1}};
  InstanceViews views(4);
  views.queue_depth = {4, 0, 1, 0};     // 0, 1, 0.75, 1
  views.kv_utilization = {0, 1, 0, 1};  // 1, 0, 1, 0
  // 0.25, 0.75, 0.8125, 0.75
  EXPECT_EQ(counts(choices(*make_router(deployment, 1), views, 10)).count(2), 1u);
  views.kv_utilization[2] = 0.5;  // 0.6875: now two are equal
  const auto even = counts(choices(*make_router(deployment, 1), views, 1000));
  EXPECT_NEAR(even.at(1), 500, 80);
  EXPECT_NEAR(even.at(3), 500, 80);
}

}  // namespace
}  // namespace plimsoll
