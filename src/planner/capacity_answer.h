// The answer that the tests behind `plimsoll capacity` give: how much a deployment can take, or how
// many instances a rate needs, what is to spare beyond that, and what the error of the step-time
// model means for it. Found by planner/capacity_search.h, told by report/capacity/capacity.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/because.h"
#include "metrics/bottleneck.h"
#include "perf/model_error.h"
#include "planner/capacity.h"
#include "planner/estimate.h"
#include "planner/finite_traffic.h"
#include "planner/load_unit.h"

namespace plimsoll {

struct CapacityAnswer {
  std::vector<Slo> slos;
  LoadUnit unit;               ///< of all loads below
  double rate_rps = 0;         ///< asked for; 0 = none
  std::int64_t instances = 1;  ///< deployed, where the rate is the question
  double headroom = 0;         ///< to keep, in percent
  bool headroom_is_asked = false;
  FiniteTraffic traffic;  ///< where it ends
  /// The estimate of one instance; of several pools that of all their instances, or of a group
  /// where `fewest` counts.
  CapacityEstimate estimate;
  /// One of the two is there once something was tested. All that is counted below is counted as
  /// `fewest` does: instances, or groups of several pools (groups_of()).
  std::optional<RateAnswer> rate;
  std::optional<InstancesAnswer> fewest;
  /// The rates that the fewest instances take beyond the one that was asked for.
  std::optional<RateAnswer> spare;
  /// The instances that arithmetic would keep for the headroom, at the rate with it: asked where
  /// the router leaves some of them idle at the rate itself, so that more need not serve more.
  std::optional<LoadProbe> with_headroom;
  /// The same answers if steps were as long and as short as the model's error allows: rates from
  /// low (0: none) to high, or numbers of instances from few to many, from 0 where no number that
  /// was tested holds with long ones.
  std::optional<Interval> model;
  std::optional<ModelError> model_error;
  /// One instance that is nearly idle, where not even the best answer holds.
  std::optional<LoadProbe> idle;
  /// Short tests below the rate that holds (planner/load_curve.h), by rate, where a page is asked
  /// for; of one that is drawn while it is found, at first below the rate that arithmetic expects.
  std::vector<LoadProbe> brief;
  /// The flag of the engine that was given far from its default, and is to be left out first: its
  /// default, and the instances that are enough without it, or the rate that holds. None: no flag
  /// was, or it changes little.
  std::optional<Because<Remedy>> without_flag;
  bool interrupted = false;  ///< before all of this was asked

  /// The test that holds, and the one that fails beside it; null where there is none.
  const LoadProbe* best() const;
  const LoadProbe* failing() const;
  bool holds() const { return best() != nullptr; }
  /// The test that serves as was asked: at that rate if it holds, else best(). Only if holds().
  const LoadProbe& as_asked() const;
  /// What is held even with steps as slow as may be, where no rate was asked for; 0: none.
  double promised_rps() const;
  /// The test behind the answer: at the rate that is promised, else as_asked(). Only if holds().
  const LoadProbe& as_promised() const;
  /// The test that shows best which of several pools is short: the one that fails at the rate that
  /// was asked for, else beside the answer; as_asked() where nothing does. Only if holds().
  const LoadProbe& short_of_pools() const;
  /// Whether the deployment holds the rate that was asked for: by the test of that rate, whatever
  /// lower rates say, else by those beside it. The fewest instances do, if there are any.
  Answer of_asked_rate() const;
  /// The test of one instance less than the fewest; null if there was none.
  const LoadProbe* one_fewer() const;
  /// How much the instances of the answer were shown to hold beyond the rate that was asked for, as
  /// a share of it; 0 where none could be shown.
  double shown_headroom() const;
  /// Whether that is as much as --headroom asked for; true where nobody asked.
  bool keeps_headroom() const;
  /// How many times the rate that was asked for the peaks have that no test shows; 1: none.
  double hidden_peak() const { return holds() ? traffic.hidden_peak(as_asked()) : 1; }
  /// By how much the rate is larger that instances are to hold: --headroom and hidden peaks.
  double wanted_headroom() const { return hidden_peak() * (1 + headroom / 100) - 1; }
  /// For a rate that is larger by it, each with the load that one instance of the answer was shown
  /// to hold; those of the answer where more serve no more.
  std::int64_t instances_with_headroom() const;
  bool more_serve_no_more() const {
    return with_headroom && with_headroom->answer != Answer::holds;
  }
  /// With steps as slow as may be; 0: nobody asked, or none was found that hold.
  std::int64_t instances_with_slow_steps() const;
  /// The more of both: what is recommended, and tested at the rate itself.
  std::int64_t instances_to_deploy() const;
  /// Sampling and the model's error together, of the largest rate or the fewest instances.
  Interval interval() const;
  /// How many a test had of what is counted.
  std::int64_t count_of(const LoadProbe& test) const {
    return fewest ? std::max<std::int64_t>(1, test.instances / fewest->group) : test.instances;
  }
  /// The instances of the answer, whether they hold the rate or not.
  std::int64_t instances_of_answer() const { return rate ? instances : fewest->instances; }
};

}  // namespace plimsoll
