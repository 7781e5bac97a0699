// The model of a measured case.
#pragma once

#include <string>

#include "base/result.h"
#include "catalog/model.h"
#include "setup/run_spec.h"
#include "validation/case.h"

namespace plimsoll {

struct FoundModel {
  ModelConfig config;
  Sampling sampling = Sampling::greedy;
};

/// In the catalog, beside the folder of cases (model-configs/OWNER--NAME), or in a cache.
Result<FoundModel> find_case_model(const std::string& id, const std::string& folder);

/// Clients of closed-loop benchmarks ask for temperature 0; others leave it to the server.
Sampling sampling_of(const Case& measured, const FoundModel& model, const RunSpec& run);

}  // namespace plimsoll
