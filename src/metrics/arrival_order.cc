#include "metrics/arrival_order.h"

namespace plimsoll {

ArrivalOrder::ArrivalOrder(RequestSource& source, Duration time_per_token)
    : source_(source), time_per_token_(time_per_token) {
  has_head_ = source_.next(&head_);
}

bool ArrivalOrder::next(Request* request) {
  while (!departures_.empty() && !(has_head_ && head_.arrival < departures_.top().departure.at) &&
         !(!follow_ups_.empty() &&
           follow_ups_.top().request.arrival < departures_.top().departure.at)) {
    depart();
  }
  if (has_head_ && (follow_ups_.empty() || head_.arrival <= follow_ups_.top().request.arrival)) {
    *request = head_;
    has_head_ = source_.next(&head_);
  } else if (!follow_ups_.empty()) {
    *request = follow_ups_.top().request;
    follow_ups_.pop();
  } else {
    return false;
  }
  if (request->awaited) await(*request);
  given_ += 1;
  return true;
}

void ArrivalOrder::await(const Request& request) {
  const std::int64_t id = request.id < 0 ? given_ : request.id;
  const Time at = request.arrival + time_per_token_ * request.output_tokens;
  const Departure departure{.request_id = id,
                            .row = static_cast<std::uint32_t>(given_),
                            .tags = request.tags,
                            .at = at,
                            .awaited = true,
                            .completed = true,
                            .generated_tokens = request.output_tokens};
  departures_.push({departure, given_});
}

void ArrivalOrder::depart() {
  FollowUp follow_up;
  if (source_.follow_up(departures_.top().departure, &follow_up.request)) {
    follow_up.number = made_++;
    follow_ups_.push(follow_up);
  }
  departures_.pop();
}

}  // namespace plimsoll
