// What of the prompts of sessions does a simulated cache find?
#include "forecast/headroom/situation.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

Flow flow_of(double cached_share) {
  Flow flow;
  flow.requests_per_s = 2;
  flow.prompt_tokens = 1000;
  flow.output_tokens = 100;
  flow.cached_share = cached_share;
  return flow;
}

TEST(Situation, is_what_sessions_find_what_a_hit_rate_leaves_of_shared_prefixes) {
  std::vector<Flow> flows{flow_of(0.5), flow_of(0.8)};
  EXPECT_EQ(found_of_repeated(flows, 0.3), 1);  // no sessions
  flows[1].sessions = Sessions{4, 20, 0};
  // Of 4,000 tokens half is found, 1,000 of it the prefix: 1,000 of 1,600 that sessions repeat.
  EXPECT_DOUBLE_EQ(found_of_repeated(flows, 0.5), 0.625);
  EXPECT_EQ(found_of_repeated(flows, 0.2), 0);
  EXPECT_EQ(found_of_repeated(flows, 0.9), 1);
  flows[0].from_provider = true;  // its prompts are in no cache here
  EXPECT_DOUBLE_EQ(found_of_repeated(flows, 0.4), 0.5);
}

// A third of the load is held with a tenth of a cache of 1,600 tokens; the whole load fills it.
TEST(Situation, is_a_cache_full_in_an_overload_that_fills_it) {
  Situation s;
  s.flows = {flow_of(0)};
  s.served.emplace();
  Pool& pool = s.served->system.deployment.main();
  pool.engine.total_kv_blocks = 100;
  pool.engine.block_size = 16;
  PeakCheck& peak = s.peak.emplace();
  peak.probe.answer = Answer::fails;
  peak.probe.state.verdict = SteadyVerdict::overloaded;
  peak.probe.summary.cluster.kv_peak_utilization = 1;
  peak.line.at_line.emplace().rate_rps = 2.0 / 3;
  peak.line.at_line->summary.cluster.kv_utilization = 0.1;
  EXPECT_DOUBLE_EQ(*kv_tokens_held(s, {}), 1600);
  peak.probe.summary.cluster.kv_peak_utilization = 0.2;  // it is full of requests, not of tokens
  EXPECT_DOUBLE_EQ(*kv_tokens_held(s, {}), 480);
}

// A forecast of twice the requests, which its own test shows to break a limit: there is no more for
// the baseline either; and the other way round.
TEST(Situation, is_the_line_of_one_mix_the_same_for_now_and_later) {
  Line now;
  now.factor = 3;
  now.interval = {2, 4};
  Line later = now.of_multiple(2);
  later.factor = later.interval.low = 1;
  share_line(2, &now, &later);
  EXPECT_DOUBLE_EQ(now.factor, 2);
  EXPECT_DOUBLE_EQ(now.interval.high, 4);
  now.factor = 0.5;
  share_line(2, &now, &later);
  EXPECT_DOUBLE_EQ(later.factor, 0.25);
}

// 2 and 3 instances are one group, and so are the 1 and 3 that a loss leaves.
TEST(Situation, is_a_capacity_that_of_other_pools_only_where_each_has_as_many_instances) {
  Situation before;
  before.flows = {flow_of(0)};
  before.served.emplace();
  std::vector<Pool>& pools = before.served->system.deployment.pools;
  pools.push_back(pools.front());
  pools.front().num_instances = 2;
  pools.back().num_instances = 3;
  Situation now = before;
  EXPECT_EQ(multiple_of(before, now), 1);
  now.served->system.deployment.pools.front().num_instances = 1;
  EXPECT_EQ(now.served->replicas(), before.served->replicas());
  EXPECT_FALSE(multiple_of(before, now));
  now = before;
  now.served->system.deployment.pools.pop_back();
  EXPECT_FALSE(multiple_of(before, now));
}

}  // namespace
}  // namespace plimsoll
