// When requests arrive, up to a change of rate: gaps of mean 1 between arrivals. Whoever draws them
// divides by the rate, so another rate sees the same arrivals on another scale of time.
#pragma once

#include <cstdint>

#include "base/choice.h"
#include "base/result.h"
#include "random/stream.h"

namespace plimsoll {

enum class ArrivalProcess : std::uint8_t { constant, poisson, gamma, weibull };

Choices<ArrivalProcess> arrival_processes();

struct ArrivalSpec {
  ArrivalProcess process = ArrivalProcess::poisson;
  double cv = 1;        ///< standard deviation / mean of the gaps; gamma and weibull only
  double shape = 0;     ///< the same by the shape of the distribution, which wins; 0 = not given
  double scale_us = 0;  ///< that goes with the shape; see Semantics::arrival_scale_sets_rate
  friend bool operator==(const ArrivalSpec&, const ArrivalSpec&) = default;
};

/// The rates a generator can serve, in requests per second: gaps are whole microseconds of at least
/// one, and a request every twelve days is slow enough for anyone.
inline constexpr double kMaxRate = 1e6;
inline constexpr double kMinRate = 1e-6;

Result<void> validate(const ArrivalSpec& spec);

/// The mean gap that shape and scale imply, in microseconds; 0 if not both are given.
double mean_gap_us(const ArrivalSpec& spec);

/// How a stream of arrivals begins. In the middle of a gap every moment expects the same number of
/// arrivals; after an arrival at time zero bursty gaps would give more at first. Ticks of a stream
/// that is alone begin with a whole gap, those of several each at a time of their own, not
/// together.
enum class FirstGap : std::uint8_t { whole, residual, residual_in_crowd };

/// Draws gaps of mean 1. The number of uniforms used varies: give each gap its own stream.
class UnitGaps {
 public:
  explicit UnitGaps(const ArrivalSpec& spec);
  double draw(RandomStream stream) const;
  double draw_first(RandomStream stream, FirstGap first) const;

 private:
  double draw_length_biased(RandomStream& stream) const;

  ArrivalProcess process_;
  double shape_ = 1;       // of gamma or weibull
  double unit_scale_ = 1;  // brings a draw of that shape to mean 1
};

}  // namespace plimsoll
