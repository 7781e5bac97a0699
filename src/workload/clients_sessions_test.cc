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
