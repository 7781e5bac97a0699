// The effect of the step-time model's error on an answer: the same question with steps as short
// and as long as that error allows, as metrics/intervals.h does for the figures of a run. The rate
// that holds with long steps is one to plan for: a run at that rate has to keep the limits, too.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "perf/model_error.h"
#include "planner/load_probe.h"
#include "planner/rate_search.h"
#include "stats/batch_means.h"

namespace plimsoll {

/// With longer steps, up to this many times the instances are tried. Where these do not hold, the
/// error is too much for the latency itself, whatever the load.
inline constexpr int kMostWithLongerSteps = 4;

/// The factors on steps at both ends of the error: short ones first.
std::array<double, 2> step_factors(const ModelError& error);

/// Its limits on a first token become stricter by what this one may wait for beside its steps
/// (error_beside_steps() of metrics/intervals.h), or looser where the steps are shorter.
ProbedSystem with_longer_steps(ProbedSystem system, double factor);

/// For the largest rate with steps that are longer by `factor`, where `good_rps` is that without;
/// `lowest_rps` as RateSearchOptions has it. With shorter steps nothing is confirmed.
RateSearchOptions search_with_longer_steps(double good_rps, double lowest_rps, double factor,
                                           bool confirms);
/// How far shorter steps move the answer needs no more than a look, of so many requests that these
/// limits can be told.
ProbeEffort effort_with_longer_steps(ProbeEffort effort, double factor,
                                     const std::vector<Slo>& slos);
/// From what was shown to hold with long steps (0: nothing) to what was with short ones, or
/// without: what holds with steps as they are holds with shorter ones.
Interval rates_with_model_error(double rate_rps, double with_long_rps, double with_short_rps);

/// An answer's interval, given that of the tests and the answers at both ends of the model's error
/// (none: not asked). Both errors are independent: distances from the answer add up as squares do.
Interval whole_interval(double answer, const Interval& sampled,
                        const std::optional<Interval>& model);

}  // namespace plimsoll
