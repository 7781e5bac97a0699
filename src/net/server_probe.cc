#include "net/server_probe.h"

#include <algorithm>

#include "base/text.h"
#include "net/foreign_text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostOfAnswer = std::size_t{4} << 20;
constexpr std::int64_t kFewWords = 32;
constexpr std::int64_t kManyWords = 288;
constexpr std::uint64_t kProbeContent = ~std::uint64_t{0};  // that no request has

std::string text_of(const HttpEnd& end) {
  const HttpProblem& problem = end.problem;
  return problem.detail.empty() ? problem.reason : problem.reason + ": " + problem.detail;
}

tl::unexpected<Error> no_use(const std::string& what, const HttpEnd& end) {
  const bool locked = end.status == 401 || end.status == 403;
  std::string hint;
  if (locked) hint = "name the variable that holds the key: --api-key-env OPENAI_API_KEY";
  if (end.status == 0) hint = "check that the server is running and that --server-url is right";
  if (end.status == 404) hint = "check --server-url; for chat alone, add --api-format chat";
  return fail(ErrorKind::io, what + ": " + text_of(end), hint);
}

HttpAnswer get_from(HttpTransfers& transfers, const ServerRequest& server, const char* path) {
  HttpRequest request;
  request.url = server.url + path;
  request.bearer_token = server.bearer_token;
  return ask(transfers, std::move(request), kMostOfAnswer);
}

// Servers without a list of models are taken at their word.
Result<void> check_model(HttpTransfers& transfers, const ServerRequest& server,
                         ServerFacts* facts) {
  const HttpAnswer answer = get_from(transfers, server, "/v1/models");
  if (answer.end.status == 0 || answer.end.status == 401 || answer.end.status == 403) {
    return no_use("cannot use " + server.url, answer.end);
  }
  const auto models = read_model_list(answer.body);
  if (!models || models->empty()) return {};
  std::vector<std::string> names;
  for (const ServedModel& model : *models) {
    if (model.id == server.model) facts->model = model;
    names.push_back(model.id);
  }
  if (facts->model) return {};
  return fail(ErrorKind::usage, server.url + " does not serve \"" + server.model + "\"",
              suggestion(server.model, names) +
                  "; what the simulator calls the model is for --expect \"model=NAME ...\"");
}

struct Probe {
  std::int64_t words = 0;
  HttpEnd end;
  std::optional<TokenUsage> usage;
};

Probe probe(HttpTransfers& transfers, ServerRequest server, const ServerFacts& facts,
            std::int64_t words, std::uint64_t salt) {
  server.stream = false;
  server.limits_length = true;
  server.exact_length = facts.takes_exact_length;
  // The first words differ: the second probe must not find the first in a cache.
  const std::string prompt =
      content_words(kProbeContent - static_cast<std::uint64_t>(words), 0, words, salt);
  HttpAnswer answer = ask(transfers, http_request(server, prompt, 1), kMostOfAnswer);
  if (answer.end.failure != HttpFailure::none) return {words, answer.end, {}};
  const auto part = read_answer_part(answer.body);
  if (part && part->error.empty()) return {words, answer.end, part->usage};
  answer.end.failure = HttpFailure::broken;
  answer.end.problem = {part ? "server error" : "not the JSON of an answer",
                        part ? foreign_text(part->error) : ""};
  return {words, answer.end, {}};
}

bool is_refusal_of_a_field(const HttpEnd& end) { return end.status == 400 || end.status == 422; }

// A prompt that fits into short contexts too, with many tokens to a word.
std::int64_t many_words(const ServerFacts& facts) {
  constexpr std::int64_t kMostTokensPerWord = 12;
  if (!facts.model || facts.model->max_model_len == 0) return kManyWords;
  return std::clamp(facts.model->max_model_len / kMostTokensPerWord, kFewWords, kManyWords);
}

// Two prompts tell the tokens of a word from those around a prompt; one alone will do.
std::optional<TokenScale> scale_of(const Probe& few, const Probe& many) {
  const auto per_word = [](std::int64_t tokens, std::int64_t words) {
    return static_cast<double>(tokens) / static_cast<double>(words);
  };
  if (!few.usage || few.usage->prompt_tokens <= 0) return std::nullopt;
  const std::int64_t tokens = few.usage->prompt_tokens;
  if (!many.usage || many.words <= few.words || many.usage->prompt_tokens <= tokens) {
    return TokenScale{0, per_word(tokens, few.words)};
  }
  const double slope = per_word(many.usage->prompt_tokens - tokens, many.words - few.words);
  return TokenScale{static_cast<double>(tokens) - slope * static_cast<double>(few.words), slope};
}

}  // namespace

Result<ServerFacts> probe_server(HttpTransfers& transfers, const ServerRequest& server,
                                 std::uint64_t salt) {
  ServerFacts facts;
  TRY_TO(check_model(transfers, server, &facts));
  facts.takes_exact_length = server.exact_length && server.limits_length;
  Probe few = probe(transfers, server, facts, kFewWords, salt);
  if (facts.takes_exact_length && is_refusal_of_a_field(few.end)) {
    facts.takes_exact_length = false;
    few = probe(transfers, server, facts, kFewWords, salt);
    if (few.end.failure == HttpFailure::none) {
      facts.notes.push_back(
          "the server takes no min_tokens and ignore_eos: answers may be shorter "
          "than asked for");
    }
  }
  if (few.end.failure != HttpFailure::none) {
    return no_use("no answer from " + server.url + std::string(path_of(server.format)), few.end);
  }
  const Probe many = probe(transfers, server, facts, many_words(facts), salt);
  if (const auto scale = scale_of(few, many)) {
    facts.scale = *scale;
    facts.counts_tokens = true;
  } else {
    facts.notes.push_back("the server does not count tokens: a word of a prompt is taken for one");
  }
  facts.metrics = server_metrics(transfers, server);
  return facts;
}

std::vector<MetricSample> server_metrics(HttpTransfers& transfers, const ServerRequest& server) {
  return read_metrics(get_from(transfers, server, "/metrics").body);
}

}  // namespace plimsoll
