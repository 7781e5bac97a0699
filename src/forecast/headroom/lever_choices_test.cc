#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forecast/headroom/levers.h"
#include "known_served.h"

namespace plimsoll {
namespace {

TEST(LeverChoices, of_several_pools_are_groups_and_an_instance_of_each) {
  Served served = test::known_served();  // of two instances
  std::vector<Pool>& pools = served.system.deployment.pools;
  pools.push_back(pools.front());
  pools.front().name = "prefill";
  pools.back().name = "decode";
  pools.back().num_instances = 4;
  Line held;
  held.factor = 1.2;
  held.is_known = true;
  const std::vector<Lever> levers = levers_for(ForecastRequest(), served, held, 1);
  const auto sizes_with = [&](const std::string& name) {
    const auto lever = std::ranges::find(levers, name, &Lever::name);
    EXPECT_NE(lever, levers.end()) << name;
    return std::pair(lever->pools.front().instances, lever->pools.back().instances);
  };
  EXPECT_EQ(sizes_with("1 more group"), (std::pair<std::int64_t, std::int64_t>(3, 6)));
  EXPECT_EQ(sizes_with("1 fewer group"), (std::pair<std::int64_t, std::int64_t>(1, 2)));
  EXPECT_EQ(sizes_with("1 more prefill instance"), (std::pair<std::int64_t, std::int64_t>(3, 4)));
  EXPECT_EQ(sizes_with("1 more decode instance"), (std::pair<std::int64_t, std::int64_t>(2, 5)));
  EXPECT_EQ(std::ranges::count(levers, "TP 2 on the same GPUs", &Lever::name), 0);
}

TEST(LeverChoices, are_sessions_routed_to_where_they_began_unless_others_share_a_prefix) {
  ForecastRequest request;
  Route chat;
  chat.name = "chat";
  chat.requests_per_s = 1;
  chat.prompt_tokens = 1000;
  chat.output_tokens = 100;
  chat.sessions = Sessions{4, 20, 0};
  follow_sessions(&chat);
  request.baseline = request.forecast = {chat};
  Line held;
  held.factor = 1.2;
  held.is_known = true;
  const auto is_tried = [&] {
    const std::vector<Lever> levers = levers_for(request, test::known_served(), held, 1);
    return std::ranges::count(levers, "routing by session", &Lever::name) > 0;
  };
  EXPECT_TRUE(is_tried());
  request.forecast.emplace_back(chat).sessions.reset();
  EXPECT_FALSE(is_tried());
}

}  // namespace
}  // namespace plimsoll
