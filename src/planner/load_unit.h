// What the load of a search is counted in. Searches go by rates. Users who wait for their answers
// have none of their own: so many users are the rate at which they would send if each round took
// as long as on a full instance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plimsoll {

struct LoadUnit {
  double round_s = 0;  ///< of a user, thinking included; 0: loads are rates

  bool counts_users() const { return round_s > 0; }
  std::int64_t users(double rate_rps) const {
    return std::max<std::int64_t>(1, std::llround(rate_rps * round_s));
  }
  double rate_rps(std::int64_t users) const { return static_cast<double>(users) / round_s; }
};

}  // namespace plimsoll
