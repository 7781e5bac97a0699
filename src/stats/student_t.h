// Quantiles of Student's t distribution, the same bytes on every machine.
#pragma once

namespace plimsoll {

/// P(T <= t) for an integer number of degrees of freedom >= 1, by the finite series of Abramowitz
/// and Stegun 26.7.3 and 26.7.4; its length grows with the degrees of freedom.
double student_t_cdf(double t, int degrees_of_freedom);

/// The t with P(T <= t) = p, for p in [0.5, 1).
double student_t_quantile(double p, int degrees_of_freedom);

}  // namespace plimsoll
