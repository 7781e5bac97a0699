#include "planner/machines.h"

#include <algorithm>
#include <cstddef>

#include "base/lists.h"
#include "base/numbers.h"

namespace plimsoll {
namespace {

/// A machine of a mix.
struct Unit {
  const Price* price = nullptr;
  std::int64_t replicas = 1;  ///< that it holds
  double usd_per_hour = 0;

  double usd_per_replica() const { return usd_per_hour / static_cast<double>(replicas); }
};

BillLine line_of(const Price& price, std::int64_t gpus_per_replica, std::int64_t replicas) {
  const std::int64_t machines = machines_for(price, gpus_per_replica, replicas);
  return {price, replicas, machines, machines * price.gpus - replicas * gpus_per_replica};
}

double total_usd(const std::vector<BillLine>& lines) {
  return total_of(lines, &BillLine::usd_per_hour);
}

// How many of each unit hold so many replicas for the least dollars.
//
// Say the unit with the least dollars per replica holds b of them. Among any b units some hold a
// multiple of b together, and could be replaced by that one for no more dollars. So fewer than b
// others are enough, and only the replicas that these could hold are searched, one more at a time.
std::vector<std::int64_t> cheapest_cover(const std::vector<Unit>& units, std::int64_t replicas) {
  std::vector<std::int64_t> counts(units.size(), 0);
  const auto usual = std::ranges::min_element(units, {}, &Unit::usd_per_replica);
  const std::int64_t widest = std::ranges::max_element(units, {}, &Unit::replicas)->replicas;
  if (const std::int64_t rest = replicas - usual->replicas * widest; rest > 0) {
    const std::int64_t count = ceil_div(rest, usual->replicas);
    counts[static_cast<std::size_t>(usual - units.begin())] = count;
    replicas -= count * usual->replicas;
  }
  struct Best {
    double usd = 0;
    std::size_t last = 0;    // unit
    std::size_t before = 0;  // replicas
  };
  std::vector<Best> best(static_cast<std::size_t>(replicas) + 1);
  for (std::size_t n = 1; n < best.size(); ++n) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      const std::size_t before = n - std::min(n, static_cast<std::size_t>(units[i].replicas));
      const double usd = best[before].usd + units[i].usd_per_hour;
      if (i == 0 || usd < best[n].usd) best[n] = {usd, i, before};
    }
  }
  for (std::size_t n = best.size() - 1; n > 0; n = best[n].before) counts[best[n].last] += 1;
  return counts;
}

// Of one seller, smallest first.
std::vector<BillLine> cheapest_mix(const std::vector<Unit>& units, std::int64_t gpus_per_replica,
                                   std::int64_t replicas) {
  const std::vector<std::int64_t> counts = cheapest_cover(units, replicas);
  std::vector<BillLine> lines;
  for (std::size_t i = units.size(); i-- > 0;) {
    const std::int64_t held = std::min(replicas, counts[i] * units[i].replicas);
    if (held > 0) lines.push_back(line_of(*units[i].price, gpus_per_replica, held));
    replicas -= held;
  }
  return lines;
}

}  // namespace

std::int64_t machines_for(const Price& price, std::int64_t gpus_per_replica,
                          std::int64_t replicas) {
  if (price.gpus >= gpus_per_replica) {
    const std::int64_t in_one = price.gpus / gpus_per_replica;
    return ceil_div(replicas, in_one);
  }
  return replicas * ceil_div(gpus_per_replica, price.gpus);
}

std::vector<BillLine> cheapest_machines(const std::vector<Price>& offers,
                                        const std::string& commitment,
                                        std::int64_t gpus_per_replica, std::int64_t replicas) {
  std::vector<BillLine> best;
  std::vector<std::vector<Unit>> sellers;
  for (const Price& price : offers) {
    if (price.commitment != commitment) continue;
    BillLine line = line_of(price, gpus_per_replica, replicas);
    if (best.empty() || line.usd_per_hour() < total_usd(best)) best = {std::move(line)};
    if (price.gpus < gpus_per_replica) continue;
    auto seller = std::ranges::find_if(sellers, [&](const std::vector<Unit>& units) {
      const Price& other = *units.front().price;
      return other.vendor == price.vendor && other.region == price.region;
    });
    if (seller == sellers.end()) seller = sellers.insert(seller, std::vector<Unit>());
    seller->push_back({&price, price.gpus / gpus_per_replica, price.usd_per_hour});
  }
  constexpr double kCheaper = 1 - 1e-9;  // not by rounding
  for (std::vector<Unit>& units : sellers) {
    std::ranges::stable_sort(units, {}, &Unit::replicas);
    std::vector<BillLine> mix = cheapest_mix(units, gpus_per_replica, replicas);
    if (total_usd(mix) < kCheaper * total_usd(best)) best = std::move(mix);
  }
  return best;
}

}  // namespace plimsoll
