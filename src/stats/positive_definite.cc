#include "stats/positive_definite.h"

#include <cmath>
#include <cstddef>

namespace plimsoll {
namespace {

// L with L L' = matrix.
std::optional<SquareMatrix> cholesky(const SquareMatrix& matrix) {
  const std::size_t n = matrix.size();
  SquareMatrix lower(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= lower[i][k] * lower[j][k];
      if (i != j) {
        lower[i][j] = rest / lower[j][j];
      } else if (rest > 0) {
        lower[i][i] = std::sqrt(rest);
      } else {
        return std::nullopt;
      }
    }
  }
  return lower;
}

}  // namespace

std::optional<SquareMatrix> inverse(const SquareMatrix& matrix) {
  const auto lower = cholesky(matrix);
  if (!lower) return std::nullopt;
  const std::size_t n = matrix.size();
  SquareMatrix out(n, std::vector<double>(n, 0));
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<double> x(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      double rest = i == column ? 1 : 0;
      for (std::size_t k = 0; k < i; ++k) rest -= (*lower)[i][k] * x[k];
      x[i] = rest / (*lower)[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= (*lower)[k][i] * x[k];
      x[i] /= (*lower)[i][i];
    }
    for (std::size_t i = 0; i < n; ++i) out[i][column] = x[i];
  }
  return out;
}

std::vector<double> product(const SquareMatrix& matrix, const std::vector<double>& vector) {
  std::vector<double> out;
  for (const std::vector<double>& row : matrix) {
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * vector[i];
    out.push_back(sum);
  }
  return out;
}

}  // namespace plimsoll
