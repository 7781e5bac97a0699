#include "net/observation.h"

#include <algorithm>

namespace plimsoll {
namespace {

Outcome outcome_of(const ObservedAnswer& answer) {
  switch (answer.status) {
    case AnswerStatus::ok:
      return Outcome::completed;
    case AnswerStatus::timeout:
      return Outcome::timed_out;
    case AnswerStatus::error:
      return answer.refused ? Outcome::rejected : Outcome::shed;
    case AnswerStatus::incomplete:
      break;
  }
  return Outcome::unfinished;
}

void add_row(const Request& request, const ObservedAnswer& answer, RunRecord* record) {
  RequestTable& table = record->requests;
  InstanceRecord& server = record->instances.front();
  table.add(request);
  table.instance.back() = 0;
  table.outcome.back() = outcome_of(answer);
  if (answer.prompt_tokens > 0) {
    table.input_tokens.back() = static_cast<std::int32_t>(answer.prompt_tokens);
  }
  if (answer.first_token != kNever) table.ttft.back() = answer.first_token - request.arrival;
  server.timed_out += answer.status == AnswerStatus::timeout ? 1 : 0;
  server.still_running += answer.status == AnswerStatus::incomplete ? 1 : 0;
  record->rejected_admission += answer.status == AnswerStatus::error ? 1 : 0;
  if (answer.status != AnswerStatus::ok) return;
  table.generated_tokens.back() = static_cast<std::int32_t>(answer.tokens());
  table.e2e.back() = answer.last_token - request.arrival;
  server.completed += 1;
  server.total_input_tokens += table.input_tokens.back();
  server.total_output_tokens += answer.tokens();
  if (answer.first_token == kNever) return;
  table.itl_sum.back() = answer.last_token - answer.first_token;
  table.itl_count.back() = static_cast<std::int32_t>(answer.tokens() - 1);
}

// Lateness is part of what is measured, so a share of that is what counts.
constexpr double kLateMeanMs = 0.2;
constexpr double kLateMeanShare = 0.05;
constexpr double kLateP99Ms = 1;
constexpr double kLateP99Share = 0.25;

std::vector<FailureCount> count_failures(const std::vector<ObservedAnswer>& answers) {
  std::map<std::string, FailureCount> by_reason;
  for (const ObservedAnswer& answer : answers) {
    if (answer.problem.reason.empty()) continue;
    FailureCount& count = by_reason[answer.problem.reason];
    count.reason = answer.problem.reason;
    count.requests += 1;
    if (count.example.empty()) count.example = answer.problem.detail;
  }
  std::vector<FailureCount> counts;
  for (auto& [reason, count] : by_reason) counts.push_back(std::move(count));
  std::ranges::stable_sort(counts, std::ranges::greater{}, &FailureCount::requests);
  return counts;
}

double ms_at_p50(std::vector<std::int64_t> ns) {
  return latency_of(std::move(ns), kNsPerMs).p50_ms;
}

// What lateness is to be compared with: the median of TTFT, or of E2E without streams.
double measured_ms(const Observation& o) {
  std::vector<std::int64_t> ttft;
  std::vector<std::int64_t> e2e;
  for (std::size_t i = 0; i < o.requests.size(); ++i) {
    const ObservedAnswer& answer = o.answers[i];
    if (answer.status != AnswerStatus::ok) continue;
    if (answer.first_token != kNever) ttft.push_back((answer.first_token - answer.sent).ns);
    e2e.push_back((answer.last_token - answer.sent).ns);
  }
  return ms_at_p50(ttft.empty() ? std::move(e2e) : std::move(ttft));
}

void check_lengths(const Observation& o, ObservationFigures* figures) {
  std::int64_t asked_prompt = 0, prompt = 0, asked_output = 0, output = 0;
  std::int64_t counted_tokens = 0, their_chunks = 0;
  for (std::size_t i = 0; i < o.requests.size(); ++i) {
    const ObservedAnswer& answer = o.answers[i];
    if (answer.status != AnswerStatus::ok) continue;
    asked_prompt += o.requests[i].input_tokens;
    asked_output += o.requests[i].output_tokens;
    prompt += answer.prompt_tokens;
    output += answer.tokens();
    if (answer.output_tokens == 0 || answer.first_token == kNever) continue;
    counted_tokens += answer.output_tokens;
    their_chunks += answer.chunks;
  }
  figures->prompt = {ratio_or_zero(asked_prompt, figures->answered),
                     ratio_or_zero(prompt, figures->answered)};
  figures->output = {ratio_or_zero(asked_output, figures->answered),
                     ratio_or_zero(output, figures->answered)};
  figures->tokens_per_chunk = ratio_or_zero(counted_tokens, their_chunks);
}

// How late requests were sent, in nanoseconds, by request.
std::vector<std::int64_t> lateness_ns(const Observation& observation) {
  std::vector<std::int64_t> late;
  for (std::size_t i = 0; i < observation.requests.size(); ++i) {
    if (observation.answers[i].retries > 0) continue;  // sent again, not late
    late.push_back((observation.answers[i].sent - observation.requests[i].arrival).ns);
  }
  return late;
}

}  // namespace

RunRecord run_record_of(const Observation& observation) {
  RunRecord record;
  record.instances.emplace_back();
  for (std::size_t i = 0; i < observation.requests.size(); ++i) {
    add_row(observation.requests[i], observation.answers[i], &record);
  }
  record.instances.front().itl = observation.gaps;
  record.instances.front().end = observation.end;
  return record;
}

ObservationFigures figures_of(const Observation& o) {
  ObservationFigures figures;
  figures.sent = std::ssize(o.requests);
  for (const ObservedAnswer& answer : o.answers) {
    figures.answered += answer.status == AnswerStatus::ok ? 1 : 0;
    figures.given_up += answer.status == AnswerStatus::incomplete ? 1 : 0;
    figures.retries += answer.retries;
    figures.streamed |= answer.first_token != kNever;
  }
  figures.failures = count_failures(o.answers);
  std::vector<std::int64_t> late = lateness_ns(o);
  if (!late.empty()) {
    figures.latest_ms = static_cast<double>(*std::ranges::max_element(late)) / kNsPerMs;
  }
  figures.lateness = latency_of(std::move(late), kNsPerMs);
  const double measured = measured_ms(o);
  figures.generator_was_late =
      figures.lateness.mean_ms > std::max(kLateMeanMs, kLateMeanShare * measured) ||
      figures.lateness.p99_ms > std::max(kLateP99Ms, kLateP99Share * measured);
  check_lengths(o, &figures);
  return figures;
}

}  // namespace plimsoll
