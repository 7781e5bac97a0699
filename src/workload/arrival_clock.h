// When one client's requests arrive. Gaps are drawn with mean 1 and spent at the client's rate of
// the moment, so a gap that spans a change of rate is stretched or shortened from there on, and one
// that spans a pause goes on after it (time rescaling): the expected number of requests in any
// interval is the integral of the rate.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "workload/arrival_process.h"
#include "workload/rate_plan.h"

namespace plimsoll {

class ArrivalClock {
 public:
  ArrivalClock(const RatePlan& plan, std::size_t client, FirstGap first)
      : stretch_(plan.at(client, Time{})), first_(first) {}

  /// Goes to the next arrival; false when there is none until `last`, which must not grow. `gaps`
  /// by shape, see RateStretch: request i's gap is a function of (seed, i).
  bool advance(const RatePlan& plan, std::size_t client, const std::vector<UnitGaps>& gaps,
               std::uint64_t seed, Time last);

  Time now() const { return now_; }
  std::size_t shape() const { return stretch_.shape; }  ///< at the current arrival
  std::int64_t arrivals() const { return arrivals_; }   ///< so far

 private:
  bool enter_next_stretch(const RatePlan& plan, std::size_t client, Time last);
  void skip_whole_days(const RatePlan& plan, std::size_t client, Time last, double* left);

  RateStretch stretch_;
  Time now_;
  FirstGap first_;
  std::int64_t arrivals_ = 0;
};

}  // namespace plimsoll
