// Runs the product on a case.
#pragma once

#include <vector>

#include "cluster/simulation.h"
#include "reference/case.h"

namespace plimsoll::reference {

Time horizon_of(const Case& scenario);

/// The requests point into the scenario.
std::vector<Request> requests_of(const Case& scenario);

struct ProductRun {
  RunRecord record;
  Progress progress;
};

/// `deployment` is the scenario's with a step-time model.
ProductRun run_product(const Case& scenario, const Deployment& deployment,
                       const std::vector<Request>& requests);

}  // namespace plimsoll::reference
