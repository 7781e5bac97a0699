// The findings of a search as JSON: the same for the answers of `capacity` and `plan`.
#pragma once

#include <optional>
#include <vector>

#include "base/json.h"
#include "setup/run_config.h"
#include "stats/batch_means.h"

namespace plimsoll {

/// [low, high]; null where there is none.
Json ends_or_null(const std::optional<Interval>& interval);

/// The share beyond what was asked for that was shown to hold; null: nothing more was.
Json headroom_json(double asked_rps, double good_rps);

/// {"low", "high", "level", "parts"}. `whole`: both parts together; `sampled`: the answer and what
/// failed beside it, null where nothing did; `model`: the answers at both ends of the model's
/// error, if they were asked for.
Json answer_interval_json(const Interval& whole, const Interval& sampled,
                          const std::optional<Interval>& model);

/// The settings that were said and those that stood in, as JSON: for every report that is a JSON
/// object. By key:
/// {"value", "origin"}.
Json config_json(const std::vector<ConfigEntry>& entries);

}  // namespace plimsoll
