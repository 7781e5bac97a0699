// Distributions as functions of a random stream, with the same values on every machine and
// compiler (the std:: ones differ between libraries). All have unit scale: multiply by the scale
// wanted, so that a change of scale keeps the order and the shape of the draws.
#pragma once

#include "random/stream.h"

namespace plimsoll {

/// Exponential with mean 1; one uniform.
double draw_exponential(RandomStream& stream);

/// The standard normal quantile of p in (0, 1), by algorithm AS 241 (Wichura 1988), about 1e-16
/// relative. Monotone in p: one uniform per draw keeps common random numbers aligned.
double normal_quantile(double p);

/// Standard normal; one uniform.
double draw_normal(RandomStream& stream);

/// Gamma with the given shape > 0 and scale 1 (Marsaglia and Tsang 2000, with their boost
/// U^(1/shape) below shape 1). The number of uniforms used varies: give each draw its own stream.
double draw_gamma(RandomStream& stream, double shape);

/// Weibull with the given shape > 0 and scale 1; one uniform.
double draw_weibull(RandomStream& stream, double shape);

/// The same weighted by length: x times the density of the Weibull, over its mean. Its k-th power
/// is a gamma draw of shape 1 + 1/k. The number of uniforms used varies.
double draw_length_biased_weibull(RandomStream& stream, double shape);

/// Mean of a Weibull of scale 1: G(1 + 1/shape).
double weibull_mean(double shape);

/// The shape in [0.1, 100] whose coefficient of variation sqrt(G(1+2/k) / G(1+1/k)^2 - 1) is `cv`,
/// by bisection; the nearer end when no shape of that range gives it.
double weibull_shape_for_cv(double cv);

}  // namespace plimsoll
