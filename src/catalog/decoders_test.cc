#include <gmock/gmock.h>

#include "catalog/hf_config.h"

namespace plimsoll {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Decoders, encoders_rankers_and_encoder_decoders_are_none) {
  EXPECT_THAT(why_no_decoder("XLMRobertaModel", "xlm-roberta"), HasSubstr("an encoder"));  // bge-m3
  EXPECT_THAT(why_no_decoder("XLMRobertaForSequenceClassification", "xlm-roberta"),
              HasSubstr("an encoder"));  // bge-reranker-v2-m3
  EXPECT_THAT(why_no_decoder("T5ForConditionalGeneration", "t5"), HasSubstr("encoder-decoder"));
  EXPECT_THAT(why_no_decoder("WhisperForConditionalGeneration", "whisper"), HasSubstr("encoder-d"));
  EXPECT_THAT(why_no_decoder("Qwen2ForRewardModel", "qwen2"), HasSubstr("another head"));
  EXPECT_THAT(why_no_decoder("LlamaForSequenceClassification", "llama"), HasSubstr("another head"));
  EXPECT_THAT(why_no_decoder("MistralModel", "mistral"), HasSubstr("another head"));  // e5-mistral
  EXPECT_THAT(why_no_decoder("", "bert"), HasSubstr("bert is an encoder"));
}

TEST(Decoders, what_continues_a_text_is_one) {
  for (const auto& [architecture, type] :
       {std::pair("LlamaForCausalLM", "llama"), std::pair("GPT2LMHeadModel", "gpt2"),
        std::pair("ChatGLMModel", "chatglm"), std::pair("InternVLChatModel", "internvl_chat"),
        std::pair("Gemma3ForConditionalGeneration", "gemma3"),
        std::pair("KimiK25ForConditionalGeneration", "kimi_k25"), std::pair("", "llama"),
        std::pair("", "")}) {
    EXPECT_EQ(why_no_decoder(architecture, type), "") << architecture;
  }
}

// One error that names the reason, not a list of missing keys.
TEST(Decoders, the_reader_of_config_json_refuses_the_others) {
  const auto t5 = parse_model_config(
      R"({"architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "d_model": 512})",
      "config.json", "t5");
  ASSERT_FALSE(t5);
  EXPECT_EQ(t5.error().diagnostics.size(), 1u);
  EXPECT_THAT(format(t5.error()),
              AllOf(HasSubstr("encoder-decoder"), Not(HasSubstr("hidden_size"))));
}

}  // namespace
}  // namespace plimsoll
