#include "setup/token_lengths.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plimsoll {
namespace {

// The same share of this mean as the part is of the usual one.
std::int64_t in_proportion(std::int64_t mean, std::int64_t usual_part, std::int64_t usual_mean) {
  const double share = static_cast<double>(usual_part) / static_cast<double>(usual_mean);
  const double tokens = std::fmin(share * static_cast<double>(mean), kMaxTokens);
  return std::llround(tokens);
}

}  // namespace

GaussianLength length_of(const LengthSpec& asked, const Semantics& semantics) {
  const LengthSpec usual;
  LengthSpec t = asked;
  if (semantics.lengths_follow_their_mean) {
    if (!asked.stdev.is_asked()) t.stdev = in_proportion(t.mean, usual.stdev, usual.mean);
    if (!asked.max.is_asked()) {
      t.max =
          std::max<std::int64_t>({in_proportion(t.mean, usual.max, usual.mean), t.min, t.stdev});
    }
    if (!asked.min.is_asked()) {
      t.min = std::min<std::int64_t>({usual.min, t.mean, t.max, t.stdev > 0 ? t.stdev : t.mean});
    }
    // A deviation that nobody asked for is no reason to refuse limits that somebody did.
    if (!asked.stdev.is_asked() && t.min <= t.max) {
      t.stdev = std::clamp<std::int64_t>(t.stdev, t.min, t.max);
    }
  }
  return {static_cast<double>(t.mean), static_cast<double>(t.stdev), t.min, t.max};
}

}  // namespace plimsoll
