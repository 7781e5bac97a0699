// Step-time models that several setups have in common: candidates of a plan differ in much that no
// step depends on (limits of the engine, routing), and making a model takes longer than all else of
// a setup.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "base/result.h"
#include "perf/step_time_model.h"
#include "setup/run_spec.h"

namespace plimsoll {

class SharedSteps {
 public:
  using Steps = Result<StepTimePtr>;

  /// That of an earlier run with the same model, hardware, layout, semantics and ways to tell step
  /// times, for a pool of that role, or what `make` returns; errors are not kept. Thread-safe.
  Steps of(const RunSpec& run, PoolRole role, const std::function<Steps()>& make);

 private:
  /// All that make_setup() looks at for the model of steps.
  struct Key {
    Key(const RunSpec& run, PoolRole role)
        : only_prompts(role == PoolRole::prefill),
          semantics(run.semantics),
          model(run.model),
          hardware(run.hardware),
          layout(run.layout),
          speculation(run.speculation),
          step_time(run.step_time) {}
    bool operator==(const Key&) const = default;

    bool only_prompts;
    SemanticsMode semantics;
    ModelSpec model;
    HardwareSpec hardware;
    LayoutSpec layout;
    SpeculationSpec speculation;
    StepTimeSpec step_time;
  };

  const StepTimePtr* find(const Key& key) const;

  std::mutex one_at_a_time_;
  std::deque<std::pair<Key, StepTimePtr>> made_;
};

}  // namespace plimsoll
