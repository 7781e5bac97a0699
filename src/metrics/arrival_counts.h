// How requests arrive: gaps, bursts, the course over time, from one pass over the arrivals.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "base/units.h"
#include "engine/run_record.h"
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

// How much work arrives, at the pace of a run's steps: what instances would be busy with if they
// served all of it. Requests that gave up have taken steps as well, so that this holds where what
// was answered says little.

/// Requests per second: gaps between arrivals over their sum.
double offered_rps_of(const RequestTable& table);

/// Per second, of all requests that can be served.
struct ArrivingTokens {
  double prompts = 0;  ///< but for what caches had of them
  double answers = 0;  ///< that are decoded: not the first ones
};
ArrivingTokens arriving_tokens(const RequestTable& table, double offered_rps);

/// Instances that are busy all the time with what arrives.
struct ArrivingWork {
  double prompts = 0;  ///< but for what caches had of them
  double answers = 0;

  double all() const { return prompts + answers; }
};

/// `offered_rps`: requests per second. Zero where no step has shown what it takes. Where requests
/// give up, batches are small for want of those that live long enough: answers count as in full
/// ones.
ArrivingWork arriving_work(const RunRecord& record, double offered_rps);

/// The share of the requests that would not be answered in time by an instance that serves them
/// alone, if the longest that anybody waited for an answer or a first token is all the time there
/// is. 0 where nobody got either. `lone_decode_s`: a decode step of one request.
double share_too_slow_alone(const RunRecord& record, double lone_decode_s);

}  // namespace plimsoll
