// How requests arrive: gaps, bursts, the course over time, from one pass over the arrivals. Called
// by shape_of().
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "metrics/workload_shape.h"

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

}  // namespace plimsoll
