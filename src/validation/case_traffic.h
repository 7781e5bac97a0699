// What arrives in a simulation of a case, as its measurement did it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "validation/case.h"
#include "workload/request.h"

namespace plimsoll {

/// Poisson arrivals stage by stage, prompts in a cycle. Notes in `stages` which requests arrive in
/// each.
Workload draw_stages(const CaseWorkload& spec, std::uint64_t seed, std::vector<CaseStage>* stages);

/// So many requests at a time, each slot sending the next when it has an answer.
std::unique_ptr<RequestSource> closed_loop(const CaseWorkload& spec, std::int64_t concurrency,
                                           std::int64_t num_requests, std::uint64_t seed);

}  // namespace plimsoll
