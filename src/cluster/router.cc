#include "cluster/router.h"

namespace plimsoll {

// One file each in routers/.
RouterRow always_busiest_router();
RouterRow least_loaded_router();
RouterRow power_of_two_router();
RouterRow round_robin_router();
RouterRow session_affinity_router();
RouterRow weighted_round_robin_router();
RouterRow weighted_router();

const std::vector<RouterRow>& routers() {
  static const std::vector<RouterRow> rows{
      round_robin_router(),    least_loaded_router(),     weighted_router(),
      power_of_two_router(),   session_affinity_router(), weighted_round_robin_router(),
      always_busiest_router(),
  };
  return rows;
}

std::unique_ptr<Router> make_router(const Deployment& deployment, std::uint64_t seed) {
  return make_policy(routers(), deployment.router, deployment.parameters, deployment, seed);
}

}  // namespace plimsoll
