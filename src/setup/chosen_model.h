// The model that is asked for: of the catalog, by its own name or by that of a repackaging, from a
// config.json, from a cache or from the hub.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/model.h"
#include "setup/run_spec.h"
#include "validation/case.h"

namespace plimsoll {

/// With what its catalog entry proposes; a model from a file proposes nothing.
struct ChosenModel : CatalogModel {
  std::string origin = "catalog";
  std::string note = {};  ///< whose shapes stand in, where another model's do
  /// The KV cache is in 8 bits because checkpoints in this format of weights state it so; nobody
  /// asked for it.
  bool cache_of_format = false;
};

/// As it is served, with --quantization and --kv-cache-dtype.
Result<ChosenModel> choose_model(const ModelSpec& asked);

/// The config.json of a model beside the folder of cases.
std::string config_beside_cases(const std::string& id, const std::string& folder);

/// Finds the model of a measured case: in the catalog, beside the folder of cases
/// (model-configs/OWNER--NAME), or in a cache.
Result<ChosenModel> find_case_model(const std::string& id, const std::string& folder);

/// Clients of closed-loop benchmarks ask for temperature 0; others leave it to the server.
Sampling sampling_of(const Case& measured, const ChosenModel& model, const StepTimeSpec& asked);

}  // namespace plimsoll
