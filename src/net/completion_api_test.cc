#include "net/completion_api.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(CompletionApi, asks_for_a_stream_of_exactly_so_many_tokens) {
  EXPECT_EQ(request_body({ApiFormat::completions, "lab/tiny", "one \"two\"", 7, true, true}),
            R"({"model":"lab/tiny","prompt":"one \"two\"","max_tokens":7,"min_tokens":7,)"
            R"("ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}})");
  EXPECT_EQ(request_body({ApiFormat::chat, "m", "hi", 0, false, false}),
            R"({"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false})");
}

AnswerPart part(std::string_view json) {
  const auto read = read_answer_part(json);
  EXPECT_TRUE(read.has_value()) << json;
  return read.value_or(AnswerPart{});
}

TEST(CompletionApi, counts_events_that_bring_tokens_and_no_others) {
  // vLLM, completions: the last token and the reason to end come together.
  EXPECT_TRUE(part(R"({"choices":[{"text":" a","finish_reason":null}]})").has_token);
  EXPECT_TRUE(part(R"({"choices":[{"text":" b","finish_reason":"length"}]})").has_token);
  // A byte of a longer character.
  EXPECT_TRUE(part(R"({"choices":[{"text":"","finish_reason":null}]})").has_token);
  EXPECT_TRUE(part(R"({"choices":[{"delta":{"content":""},"finish_reason":null}]})").has_token);
  // Chat: first the role alone, at the end the reason alone, then the counts alone.
  EXPECT_FALSE(part(R"({"choices":[{"delta":{"role":"assistant","content":""}}]})").has_token);
  EXPECT_TRUE(part(R"({"choices":[{"delta":{"role":"assistant","content":"a"}}]})").has_token);
  EXPECT_FALSE(part(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})").has_token);
  EXPECT_FALSE(
      part(R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}})").has_token);
  // Thoughts are tokens too.
  const AnswerPart thought = part(R"({"choices":[{"delta":{"reasoning_content":"hm"}}]})");
  EXPECT_TRUE(thought.has_token);
  EXPECT_EQ(thought.text, "hm");
}

TEST(CompletionApi, reads_counts_reasons_and_whole_answers) {
  const AnswerPart whole = part(
      R"({"choices":[{"message":{"role":"assistant","content":"a b"},"finish_reason":"stop"}],)"
      R"("usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}})");
  EXPECT_EQ(whole.text, "a b");
  EXPECT_EQ(whole.finish_reason, "stop");
  ASSERT_TRUE(whole.usage.has_value());
  EXPECT_EQ(whole.usage->prompt_tokens, 9);
  EXPECT_EQ(whole.usage->completion_tokens, 2);
}

TEST(CompletionApi, knows_an_error_in_each_of_its_forms) {
  EXPECT_EQ(part(R"({"error":{"message":"too long","code":400}})").error, "too long");
  EXPECT_EQ(part(R"({"error":"busy"})").error, "busy");
  EXPECT_EQ(part(R"({"object":"error","message":"no such model"})").error, "no such model");
  EXPECT_EQ(part(R"({"error":null,"choices":[{"text":"a"}]})").error, "");
}

TEST(CompletionApi, takes_no_other_json_for_an_answer) {
  for (const char* json : {"", "{", "[]", "7", "\"text\"", "{}", R"({"status":"ok"})", "[DONE]",
                           R"({"choices":"none"}x)", "\xff"}) {
    EXPECT_FALSE(read_answer_part(json).has_value()) << json;
  }
  for (const char* json :
       {R"({"choices":[7]})", R"({"choices":[{"delta":3,"text":[]}]})",
        R"({"choices":[],"usage":{"prompt_tokens":-1}})", R"({"usage":7,"choices":[]})"}) {
    EXPECT_FALSE(part(json).usage.has_value()) << json;
  }
}

TEST(CompletionApi, reads_which_models_are_served) {
  const auto models = read_model_list(
      R"({"object":"list","data":[{"id":"lab/a","max_model_len":4096},{"id":"lab/b"}]})");
  ASSERT_TRUE(models.has_value());
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ(models->front().id, "lab/a");
  EXPECT_EQ(models->front().max_model_len, 4096);
  EXPECT_EQ(models->back().max_model_len, 0);
  for (const char* json : {"", "<html>", "[]", "{}", R"({"data":{}})"}) {
    EXPECT_FALSE(read_model_list(json).has_value()) << json;
  }
}

}  // namespace
}  // namespace plimsoll
