// The same requests once more, on another deployment.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "metrics/summary.h"
#include "setup/setup.h"
#include "setup/traffic.h"

namespace plimsoll {

/// What a run was made of. It has to outlive whoever makes it again.
struct RunMade {
  const RunSpec& run;
  const Setup& setup;
  TrafficMaker make_traffic;
  const SummaryOptions& wanted;
  std::size_t threads = 1;
  std::function<bool()> keep_going;  ///< asked by any thread
};

/// None if it was stopped: keep_going() said no.
std::optional<Summary> run_again(const RunMade& made, const Deployment& deployment);

/// What the better division of the instances (better_division()) does with the same requests. None
/// if there is none, the run is too long to be done again unasked, or it was stopped.
std::optional<TriedDivision> try_better_division(const RunMade& made, const Summary& central);

/// The flag of the engine that was given far from its default, where the same requests are held
/// without it. None unless they are too much for instances all alike; else as above.
std::optional<Because<Remedy>> try_engine_defaults(const RunMade& made, const Summary& central);

}  // namespace plimsoll
