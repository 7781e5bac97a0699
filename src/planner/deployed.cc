#include "planner/deployed.h"

namespace plimsoll {

void Deployed::take_arithmetic(const TokenShape& shape, Duration gap) {
  const Deployment& deployment = system.deployment;
  if (deployment.splits() || deployment.pools.size() == 1) {
    estimate = estimate_replica(deployment, shape, gap);
    most_rps = plimsoll::most_rps(deployment, shape);
    return;
  }
  const Pool& own = deployment.pools.front();
  const Pool& other = deployment.pools.back();
  estimate = estimate_pool(own, false, shape, gap);
  most_rps = plimsoll::most_rps(own, shape);
  beside = {estimate_pool(other, false, shape, gap), RateBound::of(other, shape),
            RateBound::of(own, shape)};
}

}  // namespace plimsoll
