// The least of a function over a box, without derivatives: Nelder and Mead's simplex (Computer
// Journal 7, 1965), started again from where it stopped until that helps no more. Deterministic.
#pragma once

#include <functional>
#include <vector>

namespace plimsoll {

/// Coordinates of the box are in [0, 1]; `start` as well. Never worse than the start.
std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& f,
                             std::vector<double> start);

}  // namespace plimsoll
