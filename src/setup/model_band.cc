#include "setup/model_band.h"

#include <array>

#include "base/parallel.h"
#include "cluster/longer_steps.h"
#include "cluster/simulation.h"
#include "metrics/intervals.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

class StopMonitor final : public Monitor {
 public:
  explicit StopMonitor(const std::function<bool()>& keep_going) : keep_going_(keep_going) {}
  bool keep_going(const Progress&) override { return keep_going_(); }

 private:
  const std::function<bool()>& keep_going_;
};

std::optional<Summary> run_scaled(const RunSpec& run, const Setup& setup, TrafficMaker make_traffic,
                                  SummaryOptions wanted, double factor,
                                  const std::function<bool()>& keep_going) {
  Result<Traffic> traffic = make_traffic(run, setup.model);
  if (!traffic) return std::nullopt;
  const Deployment deployment = with_longer_steps(setup.deployment, factor);
  SimulationOptions simulated{
      .semantics = semantics_of(run), .seed = traffic->seed, .horizon = traffic->horizon};
  Simulation simulation(deployment, *traffic->source, simulated);
  StopMonitor monitor(keep_going);
  if (!simulation.advance({}, &monitor) && !keep_going()) return std::nullopt;
  wanted.labels = &traffic->source->labels();
  wanted.deployment = &deployment;
  wanted.verdict_sink = {};
  return summarize(simulation.take_record(), wanted);
}

}  // namespace

bool is_too_long_for_band(const Summary& central) { return central.arrived > kMostRequestsOfBand; }

std::optional<ModelBand> run_model_band(const RunSpec& run, const Setup& setup,
                                        TrafficMaker make_traffic, const SummaryOptions& wanted,
                                        const Summary& central,
                                        const std::function<bool()>& keep_going) {
  if (!setup.model_error || central.intervals.empty()) return std::nullopt;
  if (is_too_long_for_band(central)) return std::nullopt;
  const double z = portable_exp(setup.model_error->step);
  const std::array<double, 2> factors{1 / z, z};
  std::array<std::optional<Summary>, 2> ends;
  const auto run_end = [&](std::size_t i) {
    ends[i] = run_scaled(run, setup, make_traffic, wanted, factors[i], keep_going);
  };
  for_each_in_parallel(ends.size(), ends.size(), run_end);
  if (!ends[0] || !ends[1]) return std::nullopt;
  return model_band(*setup.model_error, central, *ends[0], *ends[1]);
}

}  // namespace plimsoll
