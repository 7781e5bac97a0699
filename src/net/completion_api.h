// The exchange with an OpenAI-compatible server: the bodies of requests to
// /v1/completions and /v1/chat/completions, and the JSON objects of answers, streamed or whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

enum class ApiFormat { completions, chat };

/// Where such requests go, below the server's address: "/v1/completions".
std::string_view path_of(ApiFormat format);

struct CompletionRequest {
  ApiFormat format = ApiFormat::completions;
  std::string_view model;
  std::string_view prompt;
  std::int64_t max_tokens = 0;  ///< 0 = as the server likes
  /// The answer shall have max_tokens: `min_tokens` and `ignore_eos`, which vLLM and others take.
  bool exact_length = false;
  bool stream = true;
};

std::string request_body(const CompletionRequest& request);

struct TokenUsage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
};

/// One event of a stream, or a whole answer.
struct AnswerPart {
  /// Brought a token or more. Not so the events that only open the answer with a role, close it
  /// with a reason, or count its tokens.
  bool has_token = false;
  std::string text;
  std::string finish_reason;        ///< empty if it does not say
  std::optional<TokenUsage> usage;  ///< if it says so
  std::string error;                ///< what the server complains of, instead of an answer
};

/// None if it is not JSON, or no object of an answer.
std::optional<AnswerPart> read_answer_part(std::string_view json);

struct ServedModel {
  std::string id;
  std::int64_t max_model_len = 0;  ///< 0 = it does not say
};

/// The answer of /v1/models; none if it is something else.
std::optional<std::vector<ServedModel>> read_model_list(std::string_view json);

}  // namespace plimsoll
