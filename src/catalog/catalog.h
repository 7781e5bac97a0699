// The built-in facts: models, GPUs, prices and step-time coefficients, from the YAML files under
// catalog/ that are embedded in the binary. Only the files a question needs are parsed.
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "catalog/price.h"

namespace plimsoll {

struct CatalogModel {
  ModelConfig config;
  std::string hub_id;       ///< as the model hub spells the id: "Qwen/Qwen3-14B"
  std::string default_gpu;  ///< a name of the GPU catalog
  std::int64_t default_tp = 0;
  Sampling sampling = Sampling::greedy;  ///< what clients get that do not ask for another
};

/// Ids of all models, sorted ("qwen/qwen3-14b").
std::vector<std::string> model_names();

/// Finds a model by its full id or by the part after the slash, in any case.
Result<CatalogModel> find_model(std::string_view name);

/// Names of all GPUs, sorted, without their aliases.
std::vector<std::string> gpu_names();

/// Finds a GPU by its name or alias, in any case. `blis` gives the row of the reference simulator
/// and knows only the GPUs that it knows; `vllm` gives the data sheet's figures.
Result<GpuSpec> find_gpu(std::string_view name, SemanticsMode mode);

/// Prices of GPUs by the hour, in the order of the file: by GPU, on-demand first; with their marks.
Result<std::vector<Price>> read_prices();

/// A user's prices in the same form. A row needs `gpu` and `usd_per_hour`; without `gpus` it is for
/// one GPU, without `commitment` on demand, without `kind` a list price. Not marked yet.
Result<std::vector<Price>> read_price_file(const std::string& path);

/// Parameters of a fitted step-time model, in microseconds: `alpha` around a request, `beta` of a
/// step. Their meaning is the model's (perf/).
struct Coefficients {
  std::vector<double> alpha;
  std::vector<double> beta;
};

/// The fitted row of the blackbox latency model for a model id, a GPU name and a TP degree.
Result<Coefficients> find_blackbox_row(std::string_view model_id, std::string_view gpu,
                                       std::int64_t tp);

/// The bundled coefficients of the trained-physics latency model.
Result<Coefficients> trained_physics_coefficients();

}  // namespace plimsoll
