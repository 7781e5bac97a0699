#include "setup/model_band.h"

#include <array>

#include "base/parallel.h"
#include "cluster/longer_steps.h"
#include "metrics/intervals.h"
#include "random/portable_math.h"

namespace plimsoll {

bool is_too_long_for_band(const Summary& central) { return central.arrived > kMostRequestsOfBand; }

std::optional<ModelBand> run_model_band(const RunMade& made, const Summary& central) {
  const Setup& setup = made.setup;
  if (!setup.model_error || central.intervals.empty()) return std::nullopt;
  if (is_too_long_for_band(central)) return std::nullopt;
  const double z = portable_exp(setup.model_error->step);
  const std::array<double, 2> factors{1 / z, z};
  std::array<std::optional<Summary>, 2> ends;
  RunMade end = made;
  end.threads = (made.threads + 1) / 2;
  for_each_in_parallel(ends.size(), made.threads, [&](std::size_t i) {
    ends[i] = run_again(end, with_longer_steps(setup.deployment, factors[i]));
  });
  if (!ends[0] || !ends[1]) return std::nullopt;
  return model_band(*setup.model_error, central, *ends[0], *ends[1]);
}

}  // namespace plimsoll
