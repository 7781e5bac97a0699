#include "net/answer_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

Time at_ms(std::int64_t ms) { return Time{} + milliseconds(ms); }

std::string token(const std::string& text) {
  return "data: {\"choices\":[{\"text\":\"" + text + "\",\"finish_reason\":null}]}\n\n";
}

const std::function<void(Duration)> kIgnore = [](Duration) {};

TEST(AnswerReader, times_tokens_and_not_what_stands_around_them) {
  AnswerReader reader({.stream = true, .keep_text = true, .keep_times = true});
  std::vector<Duration> gaps;
  const auto note = [&](Duration gap) { gaps.push_back(gap); };
  ASSERT_TRUE(reader.take("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n",
                          at_ms(5), note));
  ASSERT_TRUE(reader.take(token("a"), at_ms(10), note));
  ASSERT_TRUE(reader.take(token("b") + token("c"), at_ms(30), note));
  ASSERT_TRUE(
      reader.take("data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"stop\"}]}\n\n"
                  "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,"
                  "\"completion_tokens\":3}}\n\ndata: [DONE]\n\n",
                  at_ms(50), note));
  ASSERT_TRUE(reader.finish(at_ms(51)));
  const AnswerFacts& facts = reader.facts();
  EXPECT_EQ(facts.first_token, at_ms(10));
  EXPECT_EQ(facts.last_token, at_ms(30));
  EXPECT_EQ(facts.chunks, 3);
  EXPECT_EQ(facts.usage.completion_tokens, 3);
  EXPECT_EQ(facts.finish_reason, "stop");
  EXPECT_EQ(facts.text, "abc");
  EXPECT_THAT(facts.times, ElementsAre(at_ms(10), at_ms(30), at_ms(30)));
  EXPECT_THAT(gaps, ElementsAre(milliseconds(20), Duration{}));
}

TEST(AnswerReader, refuses_a_stream_that_ends_too_early) {
  AnswerReader reader({});
  ASSERT_TRUE(reader.take(token("a"), at_ms(1), kIgnore));
  EXPECT_FALSE(reader.finish(at_ms(2)));
  EXPECT_EQ(reader.problem().reason, "stream ended before the answer did");
  AnswerReader empty({});
  ASSERT_TRUE(empty.take("data: [DONE]\n\n", at_ms(1), kIgnore));
  EXPECT_FALSE(empty.finish(at_ms(2)));
  EXPECT_EQ(empty.problem().reason, "answer without tokens");
}

TEST(AnswerReader, stops_at_what_is_no_answer) {
  AnswerReader garbage({});
  EXPECT_FALSE(garbage.take("data: <html>\n\n", at_ms(1), kIgnore));
  EXPECT_EQ(garbage.problem().detail, "<html>");
  AnswerReader error({});
  EXPECT_FALSE(
      error.take("data: {\"error\":{\"message\":\"out of\\nmemory\"}}\n\n", at_ms(1), kIgnore));
  EXPECT_EQ(error.problem().detail, "out of memory");
}

TEST(AnswerReader, keeps_no_more_than_so_much) {
  const std::string mebibyte(1 << 20, ' ');
  AnswerReader whole({.stream = false});
  bool good = true;
  for (int i = 0; i < 65 && good; ++i) good = whole.take(mebibyte, at_ms(1), kIgnore);
  EXPECT_FALSE(good);
  EXPECT_THAT(whole.problem().reason, StartsWith("answer beyond"));
  AnswerReader stream({});
  EXPECT_FALSE(stream.take("data: " + mebibyte, at_ms(1), kIgnore));
  EXPECT_THAT(stream.problem().reason, StartsWith("event beyond"));
}

TEST(AnswerReader, reads_an_answer_that_is_not_streamed) {
  AnswerReader reader({.stream = false});
  ASSERT_TRUE(reader.take("{\"choices\":[{\"text\":\"a b\",\"finish_", at_ms(5), kIgnore));
  ASSERT_TRUE(
      reader.take("reason\":\"length\"}],\"usage\":{\"prompt_tokens\":4,"
                  "\"completion_tokens\":2}}",
                  at_ms(6), kIgnore));
  ASSERT_TRUE(reader.finish(at_ms(7)));
  EXPECT_EQ(reader.facts().first_token, kNever);
  EXPECT_EQ(reader.facts().last_token, at_ms(7));
  EXPECT_EQ(reader.facts().usage.completion_tokens, 2);
}

}  // namespace
}  // namespace plimsoll
