#include "net/prompt_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace plimsoll {
namespace {

using testing::StartsWith;

constexpr std::uint64_t kSalt = 7;

std::int64_t words_in(const std::string& text) { return std::count(text.begin(), text.end(), ' '); }

Request request_of(std::int32_t tokens, std::uint64_t content,
                   std::span<const PrefixSegment> prefix = {}) {
  Request request;
  request.input_tokens = tokens;
  request.own_content = content;
  request.prefix = prefix;
  return request;
}

TEST(PromptText, has_the_words_that_make_so_many_tokens) {
  EXPECT_EQ(words_in(PromptWriter({}, kSalt).prompt_of(request_of(100, 1))), 100);
  EXPECT_EQ(words_in(PromptWriter({10, 1.5}, kSalt).prompt_of(request_of(100, 1))), 60);
  EXPECT_EQ(words_in(PromptWriter({10, 1.5}, kSalt).prompt_of(request_of(3, 1))), 1);
}

TEST(PromptText, begins_alike_as_far_as_contents_are_shared) {
  const PromptWriter writer({4, 1.25}, kSalt);
  const std::vector<PrefixSegment> shorter{{50, 200}};
  const std::vector<PrefixSegment> longer{{50, 200}, {51, 100}};
  const std::string a = writer.prompt_of(request_of(400, 1, shorter));
  const std::string b = writer.prompt_of(request_of(500, 2, longer));
  const std::string shared = content_words(50, 0, 157, kSalt);
  EXPECT_THAT(a, StartsWith(shared));
  EXPECT_THAT(b, StartsWith(shared));
  EXPECT_EQ(words_in(a), 317);
  EXPECT_EQ(words_in(b), 397);
  // A segment may be the beginning of a longer one.
  const std::vector<PrefixSegment> part{{50, 150}};
  EXPECT_THAT(shared, StartsWith(writer.prompt_of(request_of(150, 3, part))));
  // What is not shared differs, from run to run too.
  EXPECT_NE(writer.prompt_of(request_of(400, 1)), writer.prompt_of(request_of(400, 2)));
  EXPECT_NE(writer.prompt_of(request_of(400, 1)),
            PromptWriter({4, 1.25}, kSalt + 1).prompt_of(request_of(400, 1)));
}

TEST(PromptText, goes_on_from_what_was_answered) {
  PromptWriter writer({}, kSalt);
  Request first = request_of(10, 1);
  first.reusable = true;
  const std::string asked = writer.prompt_of(first);
  const std::vector<PrefixSegment> context{{1, 15}};
  const Request second = request_of(20, 2, context);
  // Not answered yet: words stand in, and the prompt that was sent is still what it begins with.
  EXPECT_THAT(writer.prompt_of(second), StartsWith(asked));
  EXPECT_EQ(words_in(writer.prompt_of(second)), 20);
  writer.keep_answer(first, " it is so");
  EXPECT_THAT(writer.prompt_of(second), StartsWith(asked + " it is so"));
  EXPECT_EQ(words_in(writer.prompt_of(second)), 10 + 3 + 5);
}

}  // namespace
}  // namespace plimsoll
