// The largest rate that holds and the smallest that fails, from answers to yes-no questions that
// may stay unclear. Knows nothing of what is tested: planner/capacity.h asks. What it ends with may
// have to be confirmed; if that fails, it goes on below (planner/capacity.h).
//
// Works in rounds: which rates are asked next is a function of the answers so far, never of how
// many threads there are or which was faster.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
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
  double precision = 0.01;  ///< good and bad end no further apart than this, relatively, next to
                            ///< each other on the grid of that precision (planner/rate_grid.h)
  double lowest = 0;        ///< if this fails, nothing holds; positive
  double highest = std::numeric_limits<double>::infinity();  ///< not asked beyond
  double known_good = 0;    ///< holds, as an earlier test has shown; 0: nothing is known
  double first_step = 1.1;  ///< the first rates are this factor below and above the guess
  bool confirms = false;    ///< what it ends with is in doubt until confirm() says so
};

/// The headroom above a rate that holds: the largest rate that does, as `capacity` has it. Every
/// verb tests it with effort_to_settle() of the instances that it deploys (planner/estimate.h).
RateSearchOptions headroom_search(double held_rps, bool confirms);

class RateSearch {
 public:
  explicit RateSearch(const RateSearchOptions& options) : options_(options) {
    if (options.known_good > 0) tell(options.known_good, Answer::holds);
  }

  /// The rates of the next round, ascending (planner/rate_grid.h); empty when the search is over.
  std::vector<double> next() const;
  void tell(double rate, Answer answer);
  /// One whose queue grew says what is served: the limit is looked for there.
  void tell(const LoadProbe& test);

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
  bool is_close(double low, double high) const;
  double inside(double rate, double low, double high) const;
  double reach() const;
  bool was_asked(double rate) const;
  double aimed(double good, double bad) const;
  void conclude();

  RateSearchOptions options_;
  std::vector<std::pair<double, Answer>> answers_;
  double confirmed_ = 0;
  double served_ = 0;  ///< where a queue grew; 0: none did
  double good_ = 0;
  double bad_ = std::numeric_limits<double>::infinity();
  // Of what stayed unclear between the two; they themselves if nothing did.
  double above_good_ = bad_;
  double below_bad_ = good_;
};

// What the error of the step-time model means for an answer: the same question with steps as short
// and as long as that error allows, as metrics/intervals.h does for the figures of a run. The rate
// that holds with long steps is one to plan for: a run at that rate has to keep the limits, too.

/// With longer steps as many times the instances, or as small a part of the rate, are tried. Where
/// these do not hold, the error is too much for the latency itself, whatever the load.
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

// The smallest number that holds and the largest below it that fails: how many instances. As
// planner/rate_search.h over whole numbers.
//
// More is never worse, with one exception: where prompts are found in caches, fewer instances find
// more of them, and how evenly routing spreads what is shared depends on the number by chance. So
// where a test had a hit, some numbers below one that fails are asked as well.
//
// One whose queue grows says how many would serve it all. Where that many do not hold, or nothing
// says so, a far greater number may hold, or none. One instance that serves
// each request alone tells (planner/capacity.h): no instance of however many has less to do. So it
// is asked before larger numbers. Requests that are never served tell at once.

struct MinimumSearchOptions {
  std::int64_t guess = 1;
  std::int64_t most = 1;       ///< not asked beyond
  std::int64_t least = 1;      ///< not asked below
  bool confirms = false;       ///< as RateSearchOptions has it
  std::int64_t instances = 1;  ///< of one of what is counted: of a replica
  std::int64_t beside = 0;     ///< instances that are there whatever the number
};

class MinimumSearch {
 public:
  explicit MinimumSearch(const MinimumSearchOptions& options);

  /// The numbers of the next round, ascending; empty when the search is over.
  std::vector<std::int64_t> next() const;
  void tell(std::int64_t number, Answer answer);
  void tell(const LoadProbe& test);

  /// As RateSearch has them.
  std::optional<std::int64_t> unconfirmed() const;
  void confirm(std::int64_t number, Answer answer);
  std::int64_t asked_by(const LoadProbe& test) const {
    return (test.instances - options_.beside) / options_.instances;
  }

  /// True when next() waits for tell_idle(): what a single instance says that serves each request
  /// alone. It may be told before.
  bool asks_idle() const;
  void tell_idle(Answer answer) { idle_ = answer; }
  /// Nothing up to `most` does.
  bool none_holds() const {
    const bool all_fail = bad_ == options_.most && below_bad().empty();
    return all_fail || idle_ == Answer::fails || is_turned_away();
  }

  /// The smallest that holds; where no test had a hit, above all that fail. 0 if none does.
  std::int64_t good() const { return good_ > options_.most ? 0 : good_; }
  /// The largest below it that fails, of all if none holds; 0 if none does.
  std::int64_t bad() const { return bad_ < options_.least ? 0 : bad_; }
  /// No smaller one holds.
  std::int64_t least_possible() const;

 private:
  bool is_asked(std::int64_t number) const;
  bool has_good() const { return good_ <= options_.most; }
  bool is_turned_away() const { return turned_away_ && !has_good(); }
  std::int64_t top() const { return std::ranges::max(answers_).first; }
  bool has_aim() const { return serving_all_ > top() && top() < options_.most; }
  std::int64_t largest_below_good() const;
  std::vector<std::int64_t> next_above() const;
  std::vector<std::int64_t> below_bad() const;
  void conclude();

  MinimumSearchOptions options_;
  std::vector<std::pair<std::int64_t, Answer>> answers_;
  std::int64_t good_;
  std::int64_t bad_;
  std::int64_t confirmed_ = 0;
  std::optional<Answer> idle_;
  std::int64_t serving_all_ = 0;  ///< by arithmetic, where a queue grew; 0: none did
  bool turned_away_ = false;
  bool finds_in_caches_ = false;
};

}  // namespace plimsoll
