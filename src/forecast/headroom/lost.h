// The rest of a deployment after a loss. Each pool loses its part of a zone or a region; of
// instances that fail one by one those are lost that are missed most, by arithmetic
// (planner/estimate.h).
#pragma once

#include <optional>
#include <vector>

#include "forecast/demand/forecast_request.h"
#include "forecast/demand/route.h"
#include "forecast/demand/token_load.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

/// How far the load that is left to handle is searched, in scenarios and in plans alike, so that
/// both say the same of the same loss.
inline constexpr LineEffort kLossEffort{.precision = 0.05};

struct Left {
  std::optional<Served> served;  ///< none: nothing that could answer, or compute prompts
  double share = 0;              ///< of what the whole deployment serves, by arithmetic
};

/// Returns what is left; of regions, a smallest one of those. `flows`: what comes.
Left left_after(const Loss& loss, const Served& served, const std::vector<Flow>& flows,
                const TokenLoadOptions& options);

/// Parts of what is left that are alike, each of which answers as much of the load.
struct LeftParts {
  Left each;
  std::int64_t count = 1;
};

/// Returns all that is left, the smallest parts last: one part, but for the loss of a largest
/// region. Empty where there was one region alone.
std::vector<LeftParts> parts_after(const Loss& loss, const Served& served,
                                   const std::vector<Flow>& flows, const TokenLoadOptions& options);

}  // namespace plimsoll
