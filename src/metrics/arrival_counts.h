// How requests arrive: gaps, bursts, the course over time, from one pass over the arrivals.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "base/units.h"
#include "metrics/workload_shape.h"
#include "workload/request.h"

namespace plimsoll {

class ArrivalCounts {
 public:
  /// In order of time.
  void add(Time arrival);
  Time last() const { return last_; }

  /// Sets all that the shape says of arrivals; there must have been one.
  void describe(WorkloadShape* shape) const;

 private:
  /// Seconds without any request are left out.
  struct SecondCount {
    std::int64_t second = 0;
    std::int64_t requests = 0;
  };

  void set_windows(WorkloadShape* shape) const;
  void set_buckets(WorkloadShape* shape) const;
  ArrivalWindows windows_of(std::int64_t width_s, double last_s) const;

  std::int64_t requests_ = 0;
  std::vector<SecondCount> seconds_;
  Time last_;
  double gap_mean_ns_ = 0;
  double gap_squares_ = 0;  // sum of squared deviations from the mean (Welford 1962)
};

/// The requests of a source in order of arrival although nothing serves them: answers that a closed
/// loop waits for are taken to need a fixed time per token.
class ArrivalOrder {
 public:
  /// The source must outlive this.
  ArrivalOrder(RequestSource& source, Duration time_per_token);

  /// False when there are no more.
  bool next(Request* request);

 private:
  struct Leaving {
    Departure departure;
    std::int64_t number = 0;
    bool operator<(const Leaving& other) const {
      return std::pair(departure.at, number) > std::pair(other.departure.at, other.number);
    }
  };
  struct FollowUp {
    Request request;
    std::int64_t number = 0;
    bool operator<(const FollowUp& other) const {
      return std::pair(request.arrival, number) > std::pair(other.request.arrival, other.number);
    }
  };

  void await(const Request& request);
  void depart();

  RequestSource& source_;
  Duration time_per_token_;
  Request head_;
  bool has_head_ = false;
  std::priority_queue<Leaving> departures_;
  std::priority_queue<FollowUp> follow_ups_;
  std::int64_t given_ = 0;
  std::int64_t made_ = 0;
};

}  // namespace plimsoll
