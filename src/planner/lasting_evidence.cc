#include "planner/lasting_evidence.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/latency.h"
#include "stats/steady_state.h"

namespace plimsoll {
namespace {

// Work in the system grows while it fills, too: for as long as the longest answers of a mix take,
// and much longer where a fuller batch makes every stay longer. Only requests that wait, or do not
// wait any more, tell an overload from that.
bool has_queue(const RequestTable& requests) {
  constexpr double kQueue = 0.1;  // of all requests under way
  const Time now = requests.arrival.back();
  std::int64_t under_way = 0;
  std::int64_t waiting = 0;
  std::int64_t lost = 0;
  for (std::size_t row = 0; row < requests.size(); ++row) {
    const bool finished = is_completed(requests.outcome[row]);
    if (!finished && requests.outcome[row] != Outcome::unfinished) {
      lost += requests.outcome[row] != Outcome::dropped ? 1 : 0;
      continue;
    }
    if (finished && requests.arrival[row] + requests.e2e[row] <= now) continue;
    const Duration delay = requests.scheduling_delay[row];
    under_way += 1;
    waiting += delay == kNoDuration || requests.arrival[row] + delay > now ? 1 : 0;
  }
  return static_cast<double>(waiting) > kQueue * static_cast<double>(under_way) ||
         static_cast<double>(lost) > kToleratedLoss * static_cast<double>(requests.size());
}

// While prefix caches fill, prompts get cheaper: what is too much at first may be served later. Of
// those that were admitted, do the last third still find more than the second?
bool is_cache_filling(const RequestTable& requests) {
  constexpr double kSteady = 0.97;  // of the tokens that are computed
  std::vector<std::size_t> admitted;
  for (std::size_t row = 0; row < requests.size(); ++row) {
    if (requests.scheduling_delay[row] != kNoDuration) admitted.push_back(row);
  }
  const std::size_t third = admitted.size() / 3;
  const auto computed_share = [&](std::size_t first) {
    double prompt = 0;
    double cached = 0;
    for (std::size_t i = first; i < first + third; ++i) {
      prompt += requests.input_tokens[admitted[i]];
      cached += requests.cached_tokens[admitted[i]];
    }
    return ratio_or_zero(prompt - cached, prompt);
  };
  return computed_share(admitted.size() - third) < kSteady * computed_share(third);
}

}  // namespace

Evidence evidence_of(const RequestTable& requests, Length length) {
  if (length == Length::whole) return {};
  const bool filling = is_cache_filling(requests);
  const bool waits = length == Length::longest || has_queue(requests);
  return {waits && !filling, !filling, filling};
}

}  // namespace plimsoll
