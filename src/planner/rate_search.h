// The largest rate that holds and the smallest that fails, from answers to yes-no questions that
// may stay unclear. Knows nothing of what is tested: planner/capacity.h asks. What it ends with may
// have to be confirmed; if that fails, it goes on below (planner/capacity.h).
//
// Works in rounds: which rates are asked next is a function of the answers so far, never of how
// many threads there are or which was faster.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "planner/load_probe.h"

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
  /// One whose queue grew says what is served, any other how far its latencies are from their
  /// limits: the rate is looked for there.
  void tell(const LoadProbe& test);

  /// Where next() is empty: what holds and has yet to be confirmed. None: the search is over.
  std::optional<double> unconfirmed() const;
  /// Confirms an answer; what does not hold then is unclear.
  void confirm(double rate, Answer answer);
  /// The rate that a test was asked about.
  static double asked_by(const LoadProbe& test) { return test.rate_rps; }

  /// The largest that holds below all that fail; 0 if none does.
  double good() const { return good_; }
  /// The smallest that fails; infinite if none does.
  double bad() const { return bad_; }

 private:
  struct Told {
    double rate;
    Answer answer;
    std::optional<double> strain;  ///< as LoadProbe has it
  };

  bool is_close(double low, double high) const;
  double inside(double rate, double low, double high) const;
  double reach() const;
  const Told* told(double rate) const;  ///< null: it was not asked
  double away(double unclear, double clear) const;
  double below(double low) const;
  std::optional<double> between_limits() const;
  double aimed(double good, double bad) const;
  bool is_doubted() const;
  std::optional<double> next_doubted() const;
  void conclude();

  RateSearchOptions options_;
  std::vector<Told> answers_;
  double confirmed_ = 0;
  int refuted_ = 0;    ///< of what was to be confirmed
  double served_ = 0;  ///< where a queue grew; 0: none did
  double good_ = 0;
  double bad_ = std::numeric_limits<double>::infinity();
  // The ends of what stayed unclear between the two; they themselves if nothing did.
  double above_good_ = bad_;
  double below_bad_ = good_;
};

}  // namespace plimsoll
