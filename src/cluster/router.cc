#include "cluster/router.h"

#include <algorithm>
#include <cassert>

#include "cluster/routers/makers.h"

namespace plimsoll {

const std::vector<RouterRow>& routers() {
  static const std::vector<RouterRow> rows{
      {"round-robin", "one instance after the other", make_round_robin},
      {"least-loaded", "the instance with the fewest requests, as of the last snapshot",
       make_least_loaded},
      {"weighted", "the best by a weighted sum of scores (--routing-scorers)", make_weighted},
      {"power-of-two", "the less loaded of two instances drawn at random", make_power_of_two},
      {"session-affinity", "by hash of the session, else of the prefix, else of the tenant",
       make_session_affinity},
      {"always-busiest", "the instance with the most requests (to study bad routing)",
       make_always_busiest},
  };
  return rows;
}

std::unique_ptr<Router> make_router(const Deployment& deployment, std::uint64_t seed) {
  const auto row = std::find_if(routers().begin(), routers().end(),
                                [&](const RouterRow& r) { return r.name == deployment.router; });
  assert(row != routers().end());
  return row->make(deployment, seed);
}

}  // namespace plimsoll
