// The interval of what a search found, as JSON: {"low", "high", "level", "parts"}. The same for the
// answers of `capacity` and `plan`.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "stats/batch_means.h"

namespace plimsoll {

/// `sampled`: the answer and what failed beside it, null where nothing did; `model`: the answers at
/// both ends of the model's error, if they were asked for.
nlohmann::ordered_json answer_interval_json(double answer, const Interval& sampled,
                                            const std::optional<Interval>& model);

}  // namespace plimsoll
