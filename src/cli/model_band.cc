#include "cli/model_band.h"

#include <array>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "cli/progress.h"
#include "cluster/simulation.h"
#include "metrics/model_band.h"
#include "perf/calibrated_step_time.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

// Both ends together cost twice the run itself: beyond this it is not done unasked.
constexpr std::int64_t kMostRequestsOfBand = 200'000;

class StopMonitor final : public Monitor {
 public:
  explicit StopMonitor(const Interruption& interruption) : interruption_(interruption) {}
  bool keep_going(const Progress&) override { return !interruption_.requested(); }

 private:
  const Interruption& interruption_;
};

std::optional<Summary> run_scaled(const Options& options, const Setup& setup,
                                  TrafficMaker make_traffic, SummaryOptions wanted, double factor,
                                  const Interruption& interruption) {
  Result<Traffic> traffic = make_traffic(options, setup.model);
  if (!traffic) return std::nullopt;
  Deployment deployment = setup.deployment;
  Correction longer;
  longer.scale = factor;
  deployment.step_time = std::make_shared<CalibratedStepTime>(deployment.step_time, longer);
  SimulationOptions simulated;
  simulated.semantics = semantics_of(options);
  simulated.seed = traffic->seed;
  simulated.horizon = traffic->horizon;
  Simulation simulation(deployment, *traffic->source, simulated);
  StopMonitor monitor(interruption);
  if (!simulation.advance({}, &monitor) && interruption.requested()) return std::nullopt;
  wanted.labels = &traffic->source->labels();
  wanted.deployment = &deployment;
  wanted.verdict_sink = {};
  return summarize(simulation.take_record(), wanted);
}

}  // namespace

std::optional<ModelBand> run_model_band(const Options& options, const Setup& setup,
                                        TrafficMaker make_traffic, const SummaryOptions& wanted,
                                        const Summary& central) {
  if (options.no_model_error || !setup.model_error || central.intervals.empty()) {
    return std::nullopt;
  }
  if (central.arrived > kMostRequestsOfBand) return std::nullopt;
  const double z = portable_exp(setup.model_error->step);
  const std::array<double, 2> factors{1 / z, z};
  std::array<std::optional<Summary>, 2> ends;
  const Interruption interruption;
  const auto run_end = [&](std::size_t i) {
    ends[i] = run_scaled(options, setup, make_traffic, wanted, factors[i], interruption);
  };
  for_each_in_parallel(ends.size(), ends.size(), run_end);
  if (!ends[0] || !ends[1]) return std::nullopt;
  return model_band(*setup.model_error, central, *ends[0], *ends[1]);
}

}  // namespace plimsoll
