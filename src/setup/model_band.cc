#include "setup/model_band.h"

#include <array>

#include "base/parallel.h"
#include "cluster/longer_steps.h"
#include "metrics/intervals.h"
#include "random/portable_math.h"
#include "setup/run_again.h"

namespace plimsoll {

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
    ends[i] = run_again(run, setup, make_traffic, wanted,
                        with_longer_steps(setup.deployment, factors[i]), keep_going);
  };
  for_each_in_parallel(ends.size(), ends.size(), run_end);
  if (!ends[0] || !ends[1]) return std::nullopt;
  return model_band(*setup.model_error, central, *ends[0], *ends[1]);
}

}  // namespace plimsoll
