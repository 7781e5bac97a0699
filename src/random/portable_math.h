// Elementary functions with the same last bit on every machine. The C library's log and exp choose
// their code by CPU, so results that pass through them are not reproducible; these use only the
// operations that IEEE 754 rounds exactly (+ - * /) in a fixed order. The build must not contract
// them into fused multiply-adds (-ffp-contract=off) nor reorder them (no -ffast-math).
#pragma once

namespace plimsoll {

/// Natural logarithm, within 2 ulp. NaN below 0, -infinity at 0.
double portable_log(double x);

/// e to the x, within 2 ulp where the result is a normal number; infinity above about 709.78.
double portable_exp(double x);

/// x to the y for x > 0, by exp(y log x): the relative error grows with |y log x|.
double portable_pow(double x, double y);

/// Logarithm of the gamma function for x > 0, within 1e-14 of max(1, |result|).
double portable_log_gamma(double x);

}  // namespace plimsoll
