// In which machines a number of replicas is bought, and for how much. Machines are bought whole,
// and no replica is split between two that could hold it: a machine of k GPUs holds floor(k / GPUs
// of a replica) replicas, and a larger replica takes several machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/price.h"

namespace plimsoll {

/// Replicas in machines of one kind.
struct BillLine {
  Price price;
  std::int64_t replicas = 0;
  std::int64_t instances = 0;
  std::int64_t idle_gpus = 0;  ///< bought, and too few for another replica

  double usd_per_hour() const { return price.usd_per_hour * static_cast<double>(instances); }
};

/// The machines of this price that so many replicas take.
std::int64_t machines_for(const Price& price, std::int64_t gpus_per_replica, std::int64_t replicas);

/// The machines that hold so many replicas (at least one) for the least dollars, all bought in that
/// way: alike ones, or where that costs less a mix of one vendor and region, the largest first, of
/// which each holds a replica. Empty: nobody offers any.
std::vector<BillLine> cheapest_machines(const std::vector<Price>& offers,
                                        const std::string& commitment,
                                        std::int64_t gpus_per_replica, std::int64_t replicas);

}  // namespace plimsoll
