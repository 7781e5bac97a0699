// Kinds of demand whose truth is known: days or hours of demand, and as many continuations of the
// same history as one asks for. A forecast is judged by all that may come after a history, not by
// the one draw of it that came. docs/explanation/forecast-accuracy.md has the table made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace plimsoll {

struct Kind {
  std::string_view name;
  std::string_view about;
  std::size_t days = 0;     ///< of history
  std::size_t horizon = 0;  ///< days
  /// Demand at step `t` of the series `seed` without the noise of the step.
  double (*level)(std::uint64_t seed, std::size_t t);
  double noise = 0.08;  ///< standard deviation of its logarithm; of its changes where all is kept
  double kept = 0.3;    ///< of the noise, from step to step
  std::size_t steps_per_day = 1;

  std::size_t known_steps() const { return days * steps_per_day; }
  std::size_t steps_ahead() const { return horizon * steps_per_day; }
};

std::span<const Kind> kinds();

/// The day of the week, from Monday = 0, on which this series of a kind begins.
std::size_t first_weekday(const Kind& kind, std::uint64_t seed);

/// A uniform number of this series in (0, 1), the same for every step and every continuation.
double of_series(std::uint64_t seed, std::uint64_t index);

/// History and continuation: the known steps and those ahead, values >= 0, of which the known ones
/// are the same for every `continuation`. Noise is lognormal.
std::vector<double> draw_series(const Kind& kind, std::uint64_t seed, std::uint64_t continuation);

}  // namespace plimsoll
