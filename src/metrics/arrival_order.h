// The requests of a source in order of arrival although nothing serves them: answers that a closed
// loop waits for are taken to need a fixed time per token. Called by shape_of().
#pragma once

#include <cstdint>
#include <queue>
#include <utility>

#include "base/units.h"
#include "workload/request.h"

namespace plimsoll {

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
