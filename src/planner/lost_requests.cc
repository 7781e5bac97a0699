#include "planner/lost_requests.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "metrics/latency.h"

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

double share_always_turned_away(const RequestTable& requests) {
  const Losses losses = losses_of(requests);
  return ratio_or_zero(losses.always_turned_away, losses.demand);
}

}  // namespace plimsoll
