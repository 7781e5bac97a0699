#include "planner/purchase.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace plimsoll {
namespace {

// A share such as 0.1 is not exact: what is a whole number but for that stays one.
std::int64_t whole_at_least(double value) {
  return static_cast<std::int64_t>(std::ceil(value - 1e-9));
}

std::vector<PurchaseShare> shares_of(const Purchase& purchase) {
  if (!purchase.shares.empty()) return purchase.shares;
  return {{kOnDemand, 1}};
}

std::int64_t instances_for(const Price& price, std::int64_t gpus_per_replica,
                           std::int64_t replicas) {
  if (price.gpus >= gpus_per_replica) {
    const std::int64_t in_one = price.gpus / gpus_per_replica;
    return (replicas + in_one - 1) / in_one;
  }
  return replicas * ((gpus_per_replica + price.gpus - 1) / price.gpus);
}

// With the least dollars; null: nobody offers it.
const Price* best_shape(const std::vector<Price>& offers, const std::string& commitment,
                        std::int64_t gpus_per_replica, std::int64_t replicas) {
  const Price* best = nullptr;
  double least = 0;
  for (const Price& price : offers) {
    if (price.commitment != commitment) continue;
    const double usd =
        price.usd_per_hour * static_cast<double>(instances_for(price, gpus_per_replica, replicas));
    if (best != nullptr && usd >= least) continue;
    best = &price;
    least = usd;
  }
  return best;
}

}  // namespace

FleetSize fleet_size(const Economics& economics, std::int64_t needed, std::int64_t failures,
                     double cold_start_s) {
  FleetSize fleet;
  fleet.needed = needed;
  fleet.failures = failures;
  const std::vector<PurchaseShare> shares = shares_of(economics.purchase);
  const std::vector<std::int64_t> parts = split_of(economics.purchase, needed);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].commitment != kSpot) continue;
    const auto left = static_cast<double>(parts[i]);
    fleet.spot = whole_at_least(left / (1 - economics.purchase.spot_loss)) - parts[i];
  }
  const double growth = economics.growth_per_minute * cold_start_s / 60;
  fleet.warm = whole_at_least(static_cast<double>(needed) * growth);
  return fleet;
}

std::vector<std::int64_t> split_of(const Purchase& purchase, std::int64_t needed) {
  const std::vector<PurchaseShare> shares = shares_of(purchase);
  std::vector<std::int64_t> parts(shares.size(), 0);
  if (shares.size() == 1) {
    parts.front() = needed;
    return parts;
  }
  const auto claim = [&](std::size_t i) {
    return shares[i].share / (2 * static_cast<double>(parts[i]) + 1);
  };
  for (std::int64_t n = 0; n < needed; ++n) {
    std::size_t next = 0;
    for (std::size_t i = 1; i < shares.size(); ++i) {
      if (claim(i) > claim(next)) next = i;
    }
    parts[next] += 1;
  }
  return parts;
}

double assumed_cold_start_s(double weight_bytes) {
  constexpr double kBytesPerSecond = 0.5e9;
  constexpr double kEngineStartSeconds = 90;
  return weight_bytes / kBytesPerSecond + kEngineStartSeconds;
}

double Bill::usd_per_hour() const {
  double usd = 0;
  for (const BillLine& line : lines) usd += line.usd_per_hour();
  return usd;
}

std::int64_t Bill::idle_gpus() const {
  std::int64_t gpus = 0;
  for (const BillLine& line : lines) gpus += line.idle_gpus;
  return gpus;
}

std::vector<std::string> missing_offers(const std::vector<Price>& offers, const Purchase& purchase,
                                        bool keeps_spare) {
  std::vector<PurchaseShare> wanted = shares_of(purchase);
  if (keeps_spare) wanted.push_back({kOnDemand, 1});
  std::vector<std::string> missing;
  for (const PurchaseShare& share : wanted) {
    if (share.share <= 0 || cheapest_offer(offers, share.commitment) != nullptr) continue;
    if (std::ranges::count(missing, share.commitment) == 0) missing.push_back(share.commitment);
  }
  return missing;
}

Bill bill_of(const std::vector<Price>& offers, const Purchase& purchase,
             std::int64_t gpus_per_replica, const FleetSize& fleet) {
  std::vector<PurchaseShare> shares = shares_of(purchase);
  std::vector<std::int64_t> parts = split_of(purchase, fleet.needed);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].commitment == kSpot) parts[i] += fleet.spot;
  }
  // What has to be there when others fail, or at once, is not committed to for years.
  auto at = std::ranges::find(shares, kOnDemand, &PurchaseShare::commitment);
  if (at == shares.end()) {
    at = shares.insert(at, {kOnDemand, 0});
    parts.push_back(0);
  }
  parts[static_cast<std::size_t>(at - shares.begin())] += fleet.failures + fleet.warm;

  Bill bill;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (parts[i] == 0) continue;
    const Price* price = best_shape(offers, shares[i].commitment, gpus_per_replica, parts[i]);
    if (price == nullptr) return {};
    BillLine line{*price, parts[i], instances_for(*price, gpus_per_replica, parts[i]), 0};
    line.idle_gpus = line.instances * price->gpus - parts[i] * gpus_per_replica;
    bill.lines.push_back(std::move(line));
  }
  return bill;
}

Bill on_demand_bill(const std::vector<Price>& offers, std::int64_t gpus_per_replica,
                    std::int64_t replicas) {
  return bill_of(offers, {}, gpus_per_replica, {.needed = replicas});
}

const Price* cheapest_offer(const std::vector<Price>& offers, const std::string& commitment) {
  const Price* best = nullptr;
  for (const Price& price : offers) {
    if (price.commitment != commitment) continue;
    if (best == nullptr || price.usd_per_gpu_hour() < best->usd_per_gpu_hour()) best = &price;
  }
  return best;
}

}  // namespace plimsoll
