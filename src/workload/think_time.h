// How long a user thinks between an answer and the next request of the same session.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "random/stream.h"

namespace plimsoll {

inline constexpr Duration kMostThinkTime = seconds(31 * 86'400);

/// A constant, or lognormal between bounds.
struct ThinkTime {
  Duration constant = {};  ///< unless sigma is set
  double mu = 0;           ///< mean of the logarithm of seconds
  double sigma = 0;        ///< its standard deviation; 0 = constant
  Duration min = {};
  Duration max = kMostThinkTime;

  static ThinkTime of(Duration constant) { return {constant}; }

  /// Whole microseconds; one uniform unless constant.
  Duration draw(RandomStream stream) const;
  Duration shortest() const { return sigma > 0 ? min : constant; }
  /// Half of all draws are longer.
  Duration median() const;
};

/// Reads `constant:value=T` or `lognormal:mu=M,sigma=S[,min=T,max=T]`; a time T is a number with
/// the unit us, ms or s, a bare one in ms. Errors are usage errors.
Result<ThinkTime> parse_think_time(std::string_view text);

}  // namespace plimsoll
