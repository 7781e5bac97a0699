// The latency models by name: the one table behind --latency-model, `plimsoll list` and the error
// messages. A new model is a pair of files and a row here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "perf/architecture.h"
#include "perf/kernel_model.h"
#include "perf/parallelism.h"
#include "perf/speculation.h"
#include "perf/step_part.h"
#include "perf/step_time_model.h"

namespace plimsoll {

/// What a latency model is made from.
/// How much LatencyInputs::slower makes a part longer: a little, so that effects add up.
inline constexpr double kSlower = 1.05;

struct LatencyInputs {
  ModelConfig model;
  GpuSpec gpu;
  Parallelism parallelism;
  /// The user's own; without them each model takes those of the catalog.
  std::optional<Coefficients> coefficients;
  ModelShapes shapes = ModelShapes::exact;
  Sampling sampling = Sampling::greedy;
  Observer observer = Observer::client;
  Engine engine = Engine::vllm;  ///< whose kernels run; kernel alone knows them
  bool only_prompts = false;     ///< of a split, the pool that answers nothing; kernel alone knows
  std::optional<Speculation> speculation = std::nullopt;  ///< kernel alone has it
  std::optional<StepPart> slower = std::nullopt;          ///< likewise: that part by kSlower
};

struct LatencyModel {
  std::string name;
  std::string help;  ///< one line
  std::function<Result<StepTimePtr>(const LatencyInputs&)> make;
};

/// The first is the default.
const std::vector<LatencyModel>& latency_models();

/// Unknown names suggest the nearest; what a model cannot use (coefficients for roofline, a TP
/// degree that does not divide the heads, ...) is an error.
Result<StepTimePtr> make_latency_model(std::string_view name, const LatencyInputs& inputs);

}  // namespace plimsoll
