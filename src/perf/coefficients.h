// Checks of fitted coefficients, whether they come from the catalog or from a user.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "catalog/catalog.h"

namespace plimsoll {

/// The same coefficients, or an error when there are too few, or one is negative or not finite.
Result<Coefficients> checked_coefficients(const Coefficients& coefficients, std::size_t min_alpha,
                                          std::size_t min_beta, const char* model_name);

}  // namespace plimsoll
