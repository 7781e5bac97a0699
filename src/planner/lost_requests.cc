#include "planner/lost_requests.h"

#include <iterator>

#include "metrics/latency.h"
#include "stats/steady_state.h"

namespace plimsoll {
namespace {

struct Losses {
  std::int64_t demand = 0;
  std::int64_t timed_out = 0;
  std::int64_t turned_away = 0;
  std::int64_t always_turned_away = 0;
};

Losses losses_of(const RequestTable& requests) {
  Losses losses;
  for (std::size_t row = 0; row < requests.size(); ++row) {
    const Outcome outcome = requests.outcome[row];
    if (outcome == Outcome::dropped) continue;
    const bool rejected = outcome == Outcome::rejected;
    losses.demand += 1;
    losses.timed_out += outcome == Outcome::timed_out ? 1 : 0;
    losses.turned_away += rejected || outcome == Outcome::shed ? 1 : 0;
    // With more instances a gateway is less full.
    losses.always_turned_away += rejected && requests.reason[row] != Reason::gateway_full ? 1 : 0;
  }
  return losses;
}

// Work in the system grows while it fills, too: for as long as the longest answers of a mix take,
// and much longer where a fuller batch makes every stay longer. Only requests that wait, or do not
// wait any more, tell an overload from that.
bool has_queue(const RequestTable& requests) {
  constexpr double kQueue = 0.1;  // of all requests under way
  if (requests.size() == 0) return false;
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

double share_never_served(const RequestTable& requests) {
  const auto dropped = std::ranges::count(requests.outcome, Outcome::dropped);
  return ratio_or_zero(dropped, std::ssize(requests.outcome));
}

Because<ProbeCause> why_never_served(const RequestTable& requests) {
  std::int64_t too_long = 0;
  std::int64_t too_large = 0;
  for (std::size_t row = 0; row < requests.size(); ++row) {
    if (requests.outcome[row] != Outcome::dropped) continue;
    (requests.reason[row] == Reason::too_long ? too_long : too_large) += 1;
  }
  return {ProbeCause::never_served, share_never_served(requests), std::ssize(requests.outcome),
          too_long > too_large};
}

Because<ProbeCause> why_lost(const RequestTable& requests) {
  const Losses losses = losses_of(requests);
  return {ProbeCause::lost, ratio_or_zero(losses.timed_out, losses.demand),
          ratio_or_zero(losses.turned_away, losses.demand)};
}

double share_lost(const RequestTable& requests) {
  const Losses losses = losses_of(requests);
  return ratio_or_zero(losses.timed_out + losses.turned_away, losses.demand);
}

double share_always_turned_away(const RequestTable& requests) {
  const Losses losses = losses_of(requests);
  return ratio_or_zero(losses.always_turned_away, losses.demand);
}

Evidence evidence_of(const RequestTable& requests, Length length) {
  if (length == Length::whole) return {};
  const bool filling = is_cache_filling(requests);
  const bool waits = length == Length::longest || has_queue(requests);
  return {waits && !filling, !filling, filling};
}

}  // namespace plimsoll
