#include "net/observation.h"

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

std::vector<std::int64_t> lateness_ns(const Observation& observation) {
  std::vector<std::int64_t> late;
  for (std::size_t i = 0; i < observation.requests.size(); ++i) {
    if (observation.answers[i].retries > 0) continue;  // sent again, not late
    late.push_back((observation.answers[i].sent - observation.requests[i].arrival).ns);
  }
  return late;
}

}  // namespace plimsoll
