// A deployment of a forecast whose queues are known.
#pragma once

#include "forecast/headroom/supply.h"
#include "known_system.h"

namespace plimsoll::test {

/// Two instances that take 1 us per fresh prompt token, one request at a time: M/G/1 each.
inline Served known_served() {
  Served served;
  served.system = single_servers("");
  served.system.load = nullptr;
  served.system.slos = *parse_slos("slo", "ttft_mean<30ms");
  served.system.deployment.main().num_instances = 2;
  return served;
}

}  // namespace plimsoll::test
