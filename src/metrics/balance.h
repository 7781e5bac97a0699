// How evenly the router spread the requests over the instances. Called by summarize().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/run_record.h"

namespace plimsoll {

struct Balance {
  std::int64_t routed = 0;   ///< requests that were given an instance
  std::size_t busiest = 0;   ///< the first instance with the most of them
  double busiest_share = 0;  ///< its part of all
  double max_over_mean = 0;  ///< the most of an instance, divided by the mean of all; 1 = even
  double jain = 1;  ///< fairness index of Jain, Chiu and Hawe (1984): 1 = even, 1/n = all to one
  bool concentrated = false;  ///< so uneven that the choice of the router is worth another look
};

Balance balance_of(const RunRecord& record);

/// One sentence that says who got how much, for a run that is concentrated.
std::string concentration_text(const Balance& balance, std::size_t instances);

}  // namespace plimsoll
