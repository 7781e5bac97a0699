// What a plan costs and what for, as sentences for the terminal and the page.
#pragma once

#include <string>
#include <vector>

#include "planner/plan.h"

namespace plimsoll {

/// Dollars per hour, for requests and tokens, and energy; with the price if there is but one.
std::string cost_text(const CandidateResult& best);
/// How the replicas are bought, and what of it is idle; empty where one price says it all.
std::string bought_text(const CandidateResult& best);
/// What is kept beyond the load, and why; empty: nothing.
std::string spare_text(const PlanRequest& request, const CandidateResult& best);
/// The GPUs that are left out for want of a price, each with the kind that is missing; empty: none.
std::string unpriced_text(const PlanRequest& request, const Plan& plan);
/// How to give the prices that are missing; empty: none are.
std::vector<std::string> price_advice(const PlanRequest& request, const Plan& plan);
/// The same traffic at an API; empty if no price of one was given.
std::string api_text(const PlanRequest& request, const CandidateResult& best);

}  // namespace plimsoll
