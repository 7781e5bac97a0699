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

}  // namespace
}  // namespace plimsoll
