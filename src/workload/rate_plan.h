// At which rate the clients of a workload specification send, as a function of time: a client's
// rate is constant over stretches of time, and changes where windows, spikes and drains of any
// client begin or end, and with the hour of a diurnal cohort.
//
// Without an aggregate rate each window has a rate of its own. With one, those who are active at
// a moment share it by their weights: a window's trace_rate, or else the rate_fraction. A diurnal
// cohort gets its share times the factor of the hour, so the aggregate is the rate at the peak.
// Each part of the workload (PartSpec) is shared out by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "workload/arrival_process.h"
#include "workload/workload_spec.h"

namespace plimsoll {

inline constexpr Duration kDay = seconds(86'400);

/// A stretch of time in which nothing changes for a client.
struct RateStretch {
  Time end = kNever;
  double mean_gap_us = 0;  ///< between requests; 0 = none are sent
  /// From here on until `days_end` every whole day gets `gaps_per_day` mean gaps; 0 = not known.
  double gaps_per_day = 0;
  Time days_end = {};
  std::size_t shape = 0;  ///< 0 = the client's own arrivals and lengths, i + 1 = those of window i
};

/// Clients are numbered as in the specification, cohorts follow them. Concurrency clients send
/// nothing here. Immutable; the specification must outlive it.
class RatePlan {
 public:
  /// `scale_sets_rate`: see Semantics::arrival_scale_sets_rate.
  RatePlan(const WorkloadSpec& spec, bool scale_sets_rate);

  /// The stretch that holds `now`; of a cohort, what one of its members sends. Ends after `now`.
  RateStretch at(std::size_t client, Time now) const;

 private:
  struct Activity {
    Time begin;
    Time end;
    double weight;      // beside the other clients, or requests per second if there is no aggregate
    std::size_t shape;  // as in RateStretch
    bool follows_day;   // the cohort's diurnal and drain apply
  };
  struct Border {
    Time at;
    double weights;  // of all who are active from here on
  };

  struct Shared {
    double aggregate_rate_rps;
    std::vector<Border> borders;  // empty if there is no aggregate rate
  };

  void add_client(const ClientSpec& client);
  void add_cohort(const CohortSpec& cohort);
  std::vector<Border> sum_weights(const std::vector<std::size_t>& clients) const;

  const WorkloadSpec& spec_;
  bool scale_sets_rate_;
  std::vector<std::vector<Activity>> activities_;  // of each client, in order of time
  std::vector<Shared> parts_;                      // the main part, then those of the workload
  std::vector<std::size_t> part_;                  // of each client
};

/// When one client's requests arrive. Gaps are drawn with mean 1 and spent at the client's rate of
/// the moment, so a gap that spans a change of rate is stretched or shortened from there on, and
/// one that spans a pause goes on after it (time rescaling): the expected number of requests in any
/// interval is the integral of the rate.
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
