// The flags of `plimsoll observe` that say which server is loaded, and how.
#include "base/choice.h"
#include "base/duration_text.h"
#include "base/text.h"
#include "cli/flag_rows.h"

namespace plimsoll {
namespace {

constexpr long long kMostTransfers = 100'000;
constexpr long long kMostRetries = 100;

Choices<ApiFormat> api_formats() {
  static constexpr Choice<ApiFormat> rows[] = {
      {"completions", ApiFormat::completions, "/v1/completions"},
      {"chat", ApiFormat::chat, "/v1/chat/completions"}};
  return rows;
}

Value time_span(Place<Setting<Duration>> place) {
  std::string usual = duration_text(*place(Options()));
  Value value = value_at<Setting<Duration>>(
      std::move(place),
      [](std::string_view text) -> Reading<Duration> {
        Duration span;
        if (parse_duration(text, &span) && span >= milliseconds(1)) return span;
        return tl::unexpected(Refusal{.must = std::string(kDurationForm) + " of 1ms or more"});
      },
      duration_text);
  value.default_text = std::move(usual);
  return value;
}

// An empty name is none.
Value ca_file() {
  return value_at<std::string>(
      &HttpLimits::ca_file,
      [](std::string_view text) -> Reading<std::string> { return std::string(text); },
      [](const std::string& path) { return path; });
}

}  // namespace

void add_server_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::server};
  rows.add("--server-url", text(&ServerSpec::url), "URL",
           "Address of an OpenAI-compatible server, e.g. http://localhost:8000");
  rows.add("--model", text(&ModelSpec::id), "ID", "Name of the model on the server");
  rows.add("--api-format", one_of(&ServerSpec::format, api_formats()), "NAME",
           "API to call: completions (/v1/completions) or chat (/v1/chat/completions)");
  rows.add("--api-key-env", text(&ServerSpec::api_key_env), "NAME",
           "The environment variable that holds the server's key; no key is sent without it");
  rows.add("--ca-file", ca_file(), "FILE",
           "PEM certificates to trust, for a server whose certificate the system does not trust");
  rows.add("--max-concurrency", integer(&ServerSpec::max_concurrency, {1, kMostTransfers}), "N",
           "Maximum number of requests in flight; others wait, and count as late");
  rows.add("--retries", integer(&ServerSpec::retries, {0, kMostRetries}), "N",
           "How often to resend a request that could not connect, or got HTTP 429, 502, 503 "
           "or 504");
  rows.add("--no-streaming", on_off(&ServerSpec::no_streaming), "",
           "Ask for whole answers: no TTFT, no ITL");
  rows.add("--unconstrained-output", on_off(&ServerSpec::unconstrained_output), "",
           "Let the server end answers as it likes, not at the lengths of the workload");
  rows.add("--record-itl", on_off(&ServerSpec::record_itl), "",
           "Write the time of every token to PREFIX.itl.csv");
  rows.add("--expect", text(&ServerSpec::expect), "FLAGS",
           "Print a simulation's prediction next to the measurement; FLAGS of run say what is "
           "deployed, e.g. \"hardware=H100 tp=2\"");
  rows.add("--connect-timeout", time_span(&HttpLimits::connect), "TIME",
           "Longest wait for a connection");
  rows.add("--first-byte-timeout", time_span(&HttpLimits::first_byte), "TIME",
           "Longest wait for the beginning of an answer");
  rows.add("--stall-timeout", time_span(&HttpLimits::silence), "TIME",
           "Longest pause within an answer");
  rows.add("--request-timeout", time_span(&HttpLimits::whole), "TIME",
           "Longest time for one request; --timeout is for the workload's clients");
}

}  // namespace plimsoll
