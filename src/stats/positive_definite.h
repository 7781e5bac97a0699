// Small symmetric positive definite systems: the normal equations of a least-squares fit.
#pragma once

#include <optional>
#include <vector>

namespace plimsoll {

/// Row by row; all rows are of the same length as there are rows.
using SquareMatrix = std::vector<std::vector<double>>;

/// The inverse by Cholesky's factors; nothing if the matrix is not positive definite.
std::optional<SquareMatrix> inverse(const SquareMatrix& matrix);

std::vector<double> product(const SquareMatrix& matrix, const std::vector<double>& vector);

}  // namespace plimsoll
