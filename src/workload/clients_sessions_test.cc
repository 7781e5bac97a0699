// Do clients hold conversations?
#include <gtest/gtest.h>

#include "made_clients.h"

namespace plimsoll {
namespace {

TEST(ClientsSource, do_the_rounds_of_a_session_follow_each_other) {
  ClientSpec chat = client("chat");
  chat.prefix_group = "g";
  chat.prefix_tokens = 30;
  chat.reasoning = ReasoningSpec{{}, MultiTurnSpec{3, milliseconds(400), false, false}};
  chat.closed_loop = false;
  ClientsSource source(workload(1, {chat}, 6), in_step());
  const std::vector<Request> r = all_of(&source);
  ASSERT_EQ(r.size(), 6u);
  std::vector<std::int32_t> sessions, rounds;
  for (const Request& request : r) {
    sessions.push_back(request.tags.session);
    rounds.push_back(request.tags.round);
    EXPECT_EQ(request.input_tokens, 40);
    EXPECT_EQ(request.prefix.size(), 1u);
    EXPECT_FALSE(request.reusable);
  }
  EXPECT_EQ(sessions, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(rounds, (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
  // Five output tokens count as five microseconds.
  EXPECT_EQ(r[1].arrival - r[0].arrival, microseconds(400'005));
  EXPECT_EQ(r[2].arrival - r[1].arrival, microseconds(400'005));
}

TEST(ClientsSource, do_users_think_as_long_where_sessions_begin_faster) {
  ClientSpec chat = client("chat");
  chat.reasoning = ReasoningSpec{{}, MultiTurnSpec{3, milliseconds(400), false, false}};
  chat.closed_loop = false;
  const std::vector<Request> as_given = made(workload(1, {chat}, 300));
  ClientsSource source(workload(1, {chat}, 300), in_step());
  ASSERT_TRUE(source.begins_sessions());
  source.pace_sessions(0.25);
  const std::vector<Request> faster = all_of(&source);
  ASSERT_EQ(faster.size(), 300u);
  const auto begins = [](const std::vector<Request>& requests) {
    std::vector<Time> at;
    for (const Request& r : requests) {
      if (r.tags.round == 0) at.push_back(r.arrival);
    }
    return at;
  };
  const std::vector<Time> slow = begins(as_given), fast = begins(faster);
  ASSERT_GE(fast.size(), slow.size() - 3);
  for (std::size_t i = 0; i < std::min(slow.size(), fast.size()); ++i) {
    EXPECT_NEAR(to_seconds(fast[i] - Time{}), to_seconds(slow[i] - Time{}) / 4, 1e-8);
  }
  for (std::size_t i = 1; i < faster.size(); ++i) {
    EXPECT_LE(faster[i - 1].arrival, faster[i].arrival);
    if (faster[i].tags.round == 0) continue;
    const auto before = std::ranges::find_if(faster, [&](const Request& r) {
      return r.tags.session == faster[i].tags.session && r.tags.round == faster[i].tags.round - 1;
    });
    EXPECT_EQ(faster[i].arrival - before->arrival, microseconds(400'005));
  }
  chat.reasoning->multi_turn->single_session = true;
  EXPECT_FALSE(ClientsSource(workload(1, {chat}, 300), in_step()).begins_sessions());
}

TEST(ClientsSource, does_an_accumulating_prompt_hold_all_that_was_said_before) {
  ClientSpec chat = client("chat");
  chat.prefix_group = "g";
  chat.prefix_tokens = 30;
  chat.reasoning = ReasoningSpec{{}, MultiTurnSpec{6, milliseconds(1), true, true}};
  chat.closed_loop = false;
  ClientsSource source(workload(1, {chat}, 100), in_step());
  const std::vector<Request> r = all_of(&source);
  ASSERT_EQ(r.size(), 6u);  // a single session
  for (std::size_t round = 0; round < r.size(); ++round) {
    EXPECT_EQ(r[round].input_tokens, 30 + static_cast<std::int32_t>(round) * 15 + 10);
    ASSERT_EQ(r[round].prefix.size(), 1 + round);
    EXPECT_EQ(r[round].prefix[0].tokens, 30);
    for (std::size_t before = 0; before < round; ++before) {
      EXPECT_EQ(r[round].prefix[1 + before].content, r[before].own_content);
      EXPECT_EQ(r[round].prefix[1 + before].tokens, 15);
    }
    EXPECT_EQ(r[round].reusable, round + 1 < r.size());
  }
}

TEST(ClientsSource, are_lengths_of_rounds_drawn_apart) {
  ClientSpec chat = client("chat");
  chat.input = ExponentialLength{1e6};
  chat.reasoning = ReasoningSpec{{}, MultiTurnSpec{2, {}, false, false}};
  chat.closed_loop = false;
  const std::vector<Request> r = made(workload(1, {chat}, 4));
  EXPECT_NE(r[0].input_tokens, r[1].input_tokens);
  EXPECT_NE(r[0].input_tokens, r[2].input_tokens);
}

TEST(ClientsSource, does_a_context_beyond_all_models_end_its_session) {
  ClientSpec chat = client("chat");
  chat.input = ConstantLength{kMaxTokens / 3};
  chat.reasoning = ReasoningSpec{{}, MultiTurnSpec{1000, {}, true, true}};
  chat.closed_loop = false;
  const std::vector<Request> r = made(workload(1, {chat}, 100));
  EXPECT_EQ(r.size(), 3u);
}

}  // namespace
}  // namespace plimsoll
