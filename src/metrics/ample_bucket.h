// The token bucket (cluster/admission.h) that would let in all that a run sent.
#pragma once

#include <cmath>

#include "engine/run_record.h"

namespace plimsoll {

/// A number to type.
inline double two_digits_up(double number) {
  double unit = 1;
  while (number / unit > 100) unit *= 10;
  return std::ceil(number / unit) * unit;
}

/// Returns the most tokens that are taken from a bucket that refills at that rate and is never
/// empty, and that have yet to come back.
inline double deepest_backlog_of(const RequestTable& table, double refill_per_s) {
  double deepest = 0;
  double backlog = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Time before = i > 0 ? table.arrival[i - 1] : table.arrival[i];
    backlog = std::fmax(0, backlog - refill_per_s * to_seconds(table.arrival[i] - before)) +
              table.input_tokens[i];
    deepest = std::fmax(deepest, backlog);
  }
  return deepest;
}

}  // namespace plimsoll
