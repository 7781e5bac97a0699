// The model that is asked for: of the catalog, by its own name or by that of a repackaging, from a
// config.json, from a cache or from the hub. Called by setup.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/model.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// With what its catalog entry proposes; a model from a file proposes nothing.
struct ChosenModel {
  ModelConfig config;
  std::string hub_id;  ///< as the hub spells it; empty: a file
  std::string default_gpu;
  std::int64_t default_tp = 0;
  Sampling sampling = Sampling::greedy;
  std::string origin = "catalog";
  std::string note;  ///< whose shapes stand in, where another model's do
};

/// As it is served, with --quantization and --kv-cache-dtype.
Result<ChosenModel> choose_model(const ModelSpec& asked);

}  // namespace plimsoll
