// What the error of the step-time model means for an answer: the same question with steps as short
// and as long as that error allows, as metrics/model_band.h does for the figures of a run. Called
// by the verbs `capacity` and, through planner/plan.h, `plan`.
#pragma once

#include <array>
#include <optional>

#include "perf/model_error.h"
#include "planner/load_probe.h"
#include "planner/rate_search.h"
#include "stats/batch_means.h"

namespace plimsoll {

/// The factors on steps at both ends of the error: short ones first.
std::array<double, 2> step_factors(const ModelError& error);

ProbedSystem with_longer_steps(ProbedSystem system, double factor);

/// For the largest rate with steps that are longer by `factor`, where `good_rps` is that without;
/// `lowest_rps` as RateSearchOptions has it.
RateSearchOptions search_with_longer_steps(double good_rps, double lowest_rps, double factor);
/// How far the answer moves needs no more than a look.
ProbeEffort look_effort(ProbeEffort effort);

/// An answer's interval, given that of the tests and the answers at both ends of the model's error
/// (none: not asked). Both errors are independent: distances from the answer add up as squares do.
Interval whole_interval(double answer, const Interval& sampled,
                        const std::optional<Interval>& model);

}  // namespace plimsoll
