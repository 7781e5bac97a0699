// The events that are due for the sequences of an instance, in its queues, and the steps that it
// foresees.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plimsoll {

/// It enters the wait queue.
struct ArrivingSequence {
  Time at;
  std::int64_t order;
  std::uint32_t slot;
  auto operator<=>(const ArrivingSequence&) const = default;
};

struct SequenceTimeout {
  Time at;
  std::int64_t order;
  std::uint32_t slot;
  std::uint32_t row;  ///< void when the slot has another request by now
  auto operator<=>(const SequenceTimeout&) const = default;
};

struct SequenceFinish {
  std::int64_t clock;  ///< of DecodeSums
  std::uint32_t slot;
  std::uint32_t epoch;  ///< void when the slot is in another epoch by now
  bool operator>(const SequenceFinish& other) const { return clock > other.clock; }
};

/// When decode steps of a batch begin that keeps its members: the first one, and those after it.
struct ForeseenSteps {
  std::int64_t clock = -1;  ///< of the first
  std::int64_t context = 0;
  std::int64_t members = 0;
  std::vector<Time> begin;
};

}  // namespace plimsoll
