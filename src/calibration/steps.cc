#include "calibration/steps.h"

#include <utility>

namespace plimsoll {

Experiment experiment_of(std::vector<MeasuredSteps> steps,
                         std::shared_ptr<const StepTimeModel> base, std::string source) {
  Experiment out;
  out.source = std::move(source);
  out.base = std::move(base);
  const auto n = static_cast<double>(steps.size());
  for (const MeasuredSteps& step : steps) {
    const auto number = static_cast<std::int64_t>(out.observations.size());
    out.observations.push_back({Measure::step, step.ms, number, number});
    out.prompt_tokens += static_cast<double>(step.batch.prefill_tokens) / n;
    out.load += static_cast<double>(step.batch.decode_requests) / n;
  }
  out.predict = [steps = std::move(steps)](const std::shared_ptr<const StepTimeModel>& model) {
    std::vector<double> ms;
    for (const MeasuredSteps& step : steps) ms.push_back(predicted_ms(step, *model));
    return ms;
  };
  return out;
}

}  // namespace plimsoll
