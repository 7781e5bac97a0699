#include "metrics/arriving_work.h"

#include <algorithm>
#include <cstdint>

#include "metrics/latency.h"
#include "metrics/step_sums.h"

namespace plimsoll {
namespace {

// The first token of an answer comes of its prompt.
std::int32_t decoded(const RequestTable& table, std::size_t row) {
  return std::max(0, table.output_tokens[row] - 1);
}

}  // namespace

double offered_rps_of(const RequestTable& table) {
  if (table.arrival.empty()) return 0;
  return ratio_or_zero(static_cast<double>(table.size() - 1),
                       to_seconds(table.arrival.back() - table.arrival.front()));
}

ArrivingTokens arriving_tokens(const RequestTable& table, double offered_rps) {
  double prompts = 0;
  double answers = 0;
  double asked = 0;
  double cached = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.outcome[row] == Outcome::dropped) continue;  // nobody serves it
    prompts += table.input_tokens[row];
    answers += decoded(table, row);
    if (table.scheduling_delay[row] == kNoDuration) continue;
    asked += table.input_tokens[row];
    cached += table.cached_tokens[row];
  }
  const double per_request = ratio_or_zero(offered_rps, static_cast<double>(table.size()));
  const double computed = 1 - ratio_or_zero(cached, asked);
  return {per_request * prompts * computed, per_request * answers};
}

ArrivingWork arriving_work(const RunRecord& record, double offered_rps) {
  StepSums steps;
  for (const InstanceRecord& r : record.instances) steps.add(r);
  double decode_s = steps.per_decode_token_s();
  if (std::ranges::count(record.requests.outcome, Outcome::timed_out) > 0)
    decode_s = std::min(decode_s, steps.per_decode_token_s(steps.places));
  const ArrivingTokens tokens = arriving_tokens(record.requests, offered_rps);
  return {tokens.prompts * steps.per_prompt_token_s(), tokens.answers * decode_s};
}

double share_too_slow_alone(const RunRecord& record, double lone_decode_s) {
  const RequestTable& table = record.requests;
  Duration longest;  // that anybody waited; kNoDuration is less than any
  for (std::size_t row = 0; row < table.size(); ++row) {
    longest = std::max({longest, table.ttft[row], table.e2e[row]});
  }
  if (longest == Duration{}) return 0;
  std::int64_t late = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    late += decoded(table, row) * lone_decode_s > to_seconds(longest) ? 1 : 0;
  }
  return ratio_or_zero(late, std::ssize(table.arrival));
}

}  // namespace plimsoll
