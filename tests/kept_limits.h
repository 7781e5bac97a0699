// The goodput of a run of 100 requests with a limit of 500 ms on TTFT.
#pragma once

#include "metrics/goodput.h"

namespace plimsoll {

/// Such a share of them keeps it.
inline Goodput goodput_of(double share) {
  Goodput goodput;
  goodput.all = {.arrived = 100, .completed = 100, .good = 0, .attainment = share};
  goodput.classes.push_back({"default", {.ttft = milliseconds(500)}, goodput.all, share, {}, {}});
  return goodput;
}

}  // namespace plimsoll
