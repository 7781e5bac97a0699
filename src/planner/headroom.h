// Headroom: by which share more than its rate a deployment was shown to hold, and how much of it to
// keep. The one definition of all verbs; headroom_search() of planner/rate_search.h looks for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plimsoll {

/// The headroom that is usual to keep, as a share of the rate: what plans and capacities advise.
inline constexpr double kUsualHeadroom = 0.25;

/// 0 where nothing more was shown to hold.
inline double headroom_of(double asked_rps, double good_rps) {
  return std::fmax(0, good_rps / asked_rps - 1);
}

/// The headroom that is too much for certain; infinite: none is.
inline double headroom_below(double asked_rps, double bad_rps) { return bad_rps / asked_rps - 1; }

/// For a rate that is larger by the share `wanted`, each with the load that one of `instances` was
/// shown to hold, where these hold `shown` more than the rate. `beside`: what serves beside them,
/// as so many of them, and stays.
inline std::int64_t instances_with_headroom(std::int64_t instances, double shown, double wanted,
                                            double beside = 0) {
  const double all = static_cast<double>(instances) + beside;
  const double needed = all * (1 + wanted) / (1 + shown) - beside;
  return std::max<std::int64_t>(instances, std::llround(std::ceil(needed - 1e-9)));
}

}  // namespace plimsoll
