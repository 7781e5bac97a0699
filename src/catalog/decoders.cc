#include "catalog/decoders.h"

#include <algorithm>
#include <iterator>

namespace plimsoll {
namespace {

constexpr std::string_view kEncoder = "an encoder, which embeds or ranks texts";
constexpr std::string_view kEncoderDecoder = "an encoder-decoder";
constexpr std::string_view kHead = "a decoder with another head, which embeds, ranks or classifies";
constexpr std::string_view kOther = "no language model";

struct Family {
  std::string_view model_type;
  std::string_view what;
};

// By the names of Hugging Face's transformers.
constexpr Family kFamilies[]{
    {"albert", kEncoder},
    {"bart", kEncoderDecoder},
    {"bert", kEncoder},
    {"blenderbot", kEncoderDecoder},
    {"camembert", kEncoder},
    {"clip", kOther},
    {"deberta", kEncoder},
    {"deberta-v2", kEncoder},
    {"distilbert", kEncoder},
    {"electra", kEncoder},
    {"encoder-decoder", kEncoderDecoder},
    {"ernie", kEncoder},
    {"gte", kEncoder},
    {"led", kEncoderDecoder},
    {"longformer", kEncoder},
    {"longt5", kEncoderDecoder},
    {"m2m_100", kEncoderDecoder},
    {"marian", kEncoderDecoder},
    {"mbart", kEncoderDecoder},
    {"modernbert", kEncoder},
    {"mpnet", kEncoder},
    {"mt5", kEncoderDecoder},
    {"new", kEncoder},
    {"nomic_bert", kEncoder},
    {"pegasus", kEncoderDecoder},
    {"roberta", kEncoder},
    {"siglip", kOther},
    {"switch_transformers", kEncoderDecoder},
    {"t5", kEncoderDecoder},
    {"t5gemma", kEncoderDecoder},
    {"umt5", kEncoderDecoder},
    {"vit", kOther},
    {"wav2vec2", kOther},
    {"whisper", kEncoderDecoder},
    {"xlm-roberta", kEncoder},
    {"xlm-roberta-xl", kEncoder},
    {"xmod", kEncoder},
};

// Heads that give a number or a vector for a text.
constexpr std::string_view kHeads[]{"ForSequenceClassification",
                                    "ForTokenClassification",
                                    "ForQuestionAnswering",
                                    "ForMultipleChoice",
                                    "ForMaskedLM",
                                    "RewardModel"};

// Whole language models in spite of the bare "Model" at their end.
constexpr std::string_view kGenerating[]{"LMHeadModel", "ChatModel", "ChatGLMModel"};

bool ends_with_any(std::string_view text, const auto& endings) {
  return std::ranges::any_of(endings, [&](std::string_view e) { return text.ends_with(e); });
}

std::string is_a(std::string_view name, std::string_view what) {
  return std::string(name) + " is " + std::string(what);
}

}  // namespace

std::string why_no_decoder(std::string_view architecture, std::string_view model_type) {
  const auto family = std::ranges::find(kFamilies, model_type, &Family::model_type);
  const bool generates = architecture.ends_with("ForCausalLM");
  if (family != std::end(kFamilies) && !generates) {
    return is_a(architecture.empty() ? model_type : architecture, family->what);
  }
  if (ends_with_any(architecture, kHeads)) return is_a(architecture, kHead);
  if (architecture.ends_with("Model") && !ends_with_any(architecture, kGenerating)) {
    return is_a(architecture, kHead);
  }
  return {};
}

}  // namespace plimsoll
