// The largest rate that holds and the smallest that fails, from answers to yes-no questions that
// may stay unclear. Knows nothing of what is tested: planner/capacity.h asks. What it ends with may
// have to be confirmed; if that fails, it goes on below (planner/confirmation.h).
//
// Works in rounds: which rates are asked next is a function of the answers so far, never of how
// many threads there are or which was faster.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "perf/model_error.h"
#include "planner/load_probe.h"
#include "stats/batch_means.h"

namespace plimsoll {

struct RateSearchOptions {
  double guess = 1;         ///< where to begin, positive
  double precision = 0.01;  ///< ends when good and bad are no further apart than this, relatively
  double lowest = 0;        ///< if this fails, nothing holds; positive
  double highest = std::numeric_limits<double>::infinity();  ///< not asked beyond
  double known_good = 0;    ///< holds, as an earlier test has shown; 0: nothing is known
  double first_step = 1.1;  ///< the first rates are this factor below and above the guess
  bool confirms = false;    ///< what it ends with is in doubt until confirm() says so
};

/// The headroom above a rate that holds: how much more does, to 5 %, however much that is.
RateSearchOptions headroom_search(double held_rps, bool confirms);

class RateSearch {
 public:
  explicit RateSearch(const RateSearchOptions& options) : options_(options) {
    if (options.known_good > 0) tell(options.known_good, Answer::holds);
  }

  /// The rates of the next round, ascending, to four digits; empty when the search is over.
  std::vector<double> next() const;
  void tell(double rate, Answer answer);
  void tell(const LoadProbe& test) { tell(test.rate_rps, test.answer); }

  /// Where next() is empty: what holds and has yet to be confirmed. None: the search is over.
  std::optional<double> unconfirmed() const;
  /// What does not hold then is unclear.
  void confirm(double rate, Answer answer);
  /// What a test was asked of.
  static double asked_by(const LoadProbe& test) { return test.rate_rps; }

  /// The largest that holds below all that fail; 0 if none does.
  double good() const { return good_; }
  /// The smallest that fails; infinite if none does.
  double bad() const { return bad_; }

 private:
  bool is_close(double low, double high) const { return high <= low * (1 + options_.precision); }
  double reach() const;
  bool was_asked(double rate) const;
  void conclude();

  RateSearchOptions options_;
  std::vector<std::pair<double, Answer>> answers_;
  double confirmed_ = 0;
  double good_ = 0;
  double bad_ = std::numeric_limits<double>::infinity();
  // Of what stayed unclear between the two; they themselves if nothing did.
  double above_good_ = bad_;
  double below_bad_ = good_;
};

// What the error of the step-time model means for an answer: the same question with steps as short
// and as long as that error allows, as metrics/intervals.h does for the figures of a run. Called
// by the verbs `capacity` and, through planner/plan.h, `plan`.

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
