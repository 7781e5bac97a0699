#include "net/completion_api.h"

#include "base/json.h"
#include "base/lists.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000;

std::string text_at(const Json& object, const char* key) { return object[key].as_string(); }

std::optional<std::int64_t> count_at(const Json& object, const char* key) {
  const Json& value = object[key];
  if (!value.is_number_unsigned() || value.as_double() > kMostTokens) return std::nullopt;
  return value.as_integer();
}

std::optional<TokenUsage> usage_of(const Json& answer) {
  const Json& usage = answer["usage"];
  const auto prompt = count_at(usage, "prompt_tokens");
  const auto completion = count_at(usage, "completion_tokens");
  if (!prompt) return std::nullopt;
  return TokenUsage{*prompt, completion.value_or(0)};
}

// {"error": {"message": ...}}, {"error": "..."}, or vLLM's older {"object": "error", "message":
// ...}
std::string error_of(const Json& answer) {
  if (const Json& error = answer["error"]; !error.is_null()) {
    if (error.is_string()) return error.as_string();
    const std::string message = text_at(error, "message");
    return message.empty() ? "an error without a message" : message;
  }
  if (text_at(answer, "object") != "error") return {};
  const std::string message = text_at(answer, "message");
  return message.empty() ? "an error without a message" : message;
}

// Text stands in different places: of completions, of a chat's stream, of a whole answer of a chat.
// A token may have no text of its own, as one byte of a longer character; but an event without text
// that gives a role or a reason to end brings no token.
void read_choice(const Json& choice, AnswerPart* part) {
  part->finish_reason = text_at(choice, "finish_reason");
  part->text = text_at(choice, "text");
  const Json* said = choice.find("delta");
  if (said == nullptr) said = choice.find("message");
  bool opens = false;
  bool calls_tool = false;
  if (said != nullptr) {
    part->text += text_at(*said, "reasoning_content");
    part->text += text_at(*said, "reasoning");
    part->text += text_at(*said, "content");
    opens = said->contains("role");
    calls_tool = said->contains("tool_calls");
  }
  part->has_token = !part->text.empty() || calls_tool || (!opens && part->finish_reason.empty());
}

}  // namespace

std::string_view path_of(ApiFormat format) {
  return format == ApiFormat::chat ? "/v1/chat/completions" : "/v1/completions";
}

std::string request_body(const CompletionRequest& request) {
  Json body;
  body["model"] = request.model;
  if (request.format == ApiFormat::chat) {
    body["messages"] = Json::array({{{"role", "user"}, {"content", request.prompt}}});
  } else {
    body["prompt"] = request.prompt;
  }
  if (request.max_tokens > 0) body["max_tokens"] = request.max_tokens;
  if (request.exact_length) {
    body["min_tokens"] = request.max_tokens;
    body["ignore_eos"] = true;
  }
  body["stream"] = request.stream;
  if (request.stream) body["stream_options"] = {{"include_usage", true}};
  return body.dump();
}

std::optional<AnswerPart> read_answer_part(std::string_view json) {
  const Json answer = Json::parse(json);
  if (!answer.is_object()) return std::nullopt;
  AnswerPart part;
  part.usage = usage_of(answer);
  part.error = error_of(answer);
  const Json* choices = answer.find("choices");
  if (choices != nullptr && choices->is_array() && !choices->empty()) {
    read_choice(choices->front(), &part);
  } else if (choices == nullptr && part.error.empty() && !part.usage) {
    return std::nullopt;
  }
  return part;
}

std::optional<std::vector<ServedModel>> read_model_list(std::string_view json) {
  const Json answer = Json::parse(json);
  const Json& data = answer["data"];
  if (!data.is_array()) return std::nullopt;
  return mapped(data, [](const Json& model) {
    return ServedModel{text_at(model, "id"), count_at(model, "max_model_len").value_or(0)};
  });
}

}  // namespace plimsoll
