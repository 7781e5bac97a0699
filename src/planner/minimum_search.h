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
// is asked before larger numbers. Requests that are never served tell at once, and so does a router
// that leaves more of them idle: twice as many serve no more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "planner/load_probe.h"

namespace plimsoll {

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
    return all_fail || idle_ == Answer::fails || is_hopeless();
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
  bool is_hopeless() const { return hopeless_ && !has_good(); }
  bool serves_no_more(const LoadProbe& test, double served_rps);
  std::int64_t top() const { return std::ranges::max(answers_).first; }
  bool has_aim() const { return serving_all_ > top() && top() < options_.most; }
  std::int64_t largest_below_good() const;
  /// Where an idle instance is too close to call, a number far above what serves it all shows no
  /// more.
  std::int64_t highest() const;
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
  /// More are no help: requests are turned away whatever the load, or the router leaves more of
  /// them idle.
  bool hopeless_ = false;
  /// Of tests whose router left some idle: their number, what they served.
  std::vector<std::pair<std::int64_t, double>> uneven_;
  bool finds_in_caches_ = false;
};

}  // namespace plimsoll
