// The smallest number that holds and the largest that fails, where more is never worse: how many
// instances. As planner/rate_search.h over whole numbers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/load_probe.h"

namespace plimsoll {

struct MinimumSearchOptions {
  std::int64_t guess = 1;
  std::int64_t most = 1;   ///< not asked beyond
  std::int64_t least = 1;  ///< not asked below
};

class MinimumSearch {
 public:
  explicit MinimumSearch(const MinimumSearchOptions& options);

  /// The numbers of the next round, ascending; empty when the search is over.
  std::vector<std::int64_t> next() const;
  void tell(std::int64_t number, Answer answer);

  /// The smallest that holds above all that fail; 0 if none does.
  std::int64_t good() const { return good_ > options_.most ? 0 : good_; }
  /// The largest that fails; 0 if none does.
  std::int64_t bad() const { return bad_ < options_.least ? 0 : bad_; }

 private:
  bool is_asked(std::int64_t number) const;

  MinimumSearchOptions options_;
  std::vector<std::pair<std::int64_t, Answer>> answers_;
  std::int64_t good_;
  std::int64_t bad_;
};

}  // namespace plimsoll
