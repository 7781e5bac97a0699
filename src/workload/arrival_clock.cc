#include "workload/arrival_clock.h"

#include <algorithm>
#include <cmath>

#include "random/stream.h"

namespace plimsoll {

bool ArrivalClock::enter_next_stretch(const RatePlan& plan, std::size_t client, Time last) {
  if (stretch_.end > last) return false;
  now_ = stretch_.end;
  stretch_ = plan.at(client, now_);
  return true;
}

// A rare request among a crowd may come years later: no walk through all their hours.
void ArrivalClock::skip_whole_days(const RatePlan& plan, std::size_t client, Time last,
                                   double* left) {
  if (stretch_.gaps_per_day == 0 || *left < stretch_.gaps_per_day) return;
  const auto room = static_cast<double>((std::min(stretch_.days_end, last) - now_).ns / kDay.ns);
  const double days = std::min(room, std::floor(*left / stretch_.gaps_per_day));
  if (days < 1) return;
  *left -= days * stretch_.gaps_per_day;
  now_ = now_ + kDay * static_cast<std::int64_t>(days);
  stretch_ = plan.at(client, now_);
}

bool ArrivalClock::advance(const RatePlan& plan, std::size_t client,
                           const std::vector<UnitGaps>& gaps, std::uint64_t seed, Time last) {
  while (stretch_.mean_gap_us == 0) {
    if (!enter_next_stretch(plan, client, last)) return false;
  }
  const RandomStream stream(seed, Purpose::arrival, static_cast<std::uint64_t>(arrivals_));
  const UnitGaps& drawn = gaps[stretch_.shape];
  // Of the gap, in units of its mean.
  double left = arrivals_ == 0 ? drawn.draw_first(stream, first_) : drawn.draw(stream);
  for (;;) {
    skip_whole_days(plan, client, last, &left);
    if (stretch_.mean_gap_us > 0) {
      const double gap_us = left * stretch_.mean_gap_us;
      const double room_us = to_us(std::min(stretch_.end, last) - now_);
      // Whole microseconds of at least one, as in the reference.
      if (gap_us < room_us + 1) {
        const Time arrival =
            now_ + std::max(microseconds(1), microseconds(static_cast<std::int64_t>(gap_us)));
        if (arrival < stretch_.end && arrival <= last) {
          now_ = arrival;
          arrivals_ += 1;
          return true;
        }
      }
      left = std::max(0.0, left - to_us(stretch_.end - now_) / stretch_.mean_gap_us);
    }
    if (!enter_next_stretch(plan, client, last)) return false;
  }
}

}  // namespace plimsoll
