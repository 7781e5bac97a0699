// How a fleet is paid for: which share of it in which way, in which instance shapes, and what is
// paid for beyond the load. Dollars are per hour.
//
//   spot    s replicas have to be left when the share L of the spot replicas is lost at a time:
//           ceil(s / (1 - L)) are bought
//   warm    the load grows by the share g a minute, a replica is ready after t seconds: until then
//           ceil(needed x g x t / 60) more have to be warm
//   whole   machines are bought whole (planner/machines.h)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/price.h"
#include "planner/machines.h"
#include "spec/spec_file.h"

namespace plimsoll {

struct PurchaseShare {
  std::string commitment;  ///< of Price
  double share = 0;        ///< of the replicas that the load needs; all together 1
};

struct Purchase {
  std::vector<PurchaseShare> shares;  ///< none: all of it on demand
  double spot_loss = 0;               ///< share of the spot replicas that may be lost at a time
};

/// The price of a service that is paid by the token, dollars per million.
struct ApiPrice {
  double usd_input = 0;
  double usd_output = 0;
};

struct Economics {
  std::string price_file;  ///< path; empty: the price lists of the catalog alone
  Purchase purchase;
  std::optional<ApiPrice> api;
  double growth_per_minute = 0;        ///< of the load, as a share of it
  std::optional<double> cold_start_s;  ///< none: from the size of the weights
};

/// Replicas of a fleet, by what they are for.
struct FleetSize {
  std::int64_t needed = 1;    ///< by the load
  std::int64_t failures = 0;  ///< as the user asks
  std::int64_t spot = 0;
  std::int64_t warm = 0;

  std::int64_t spare() const { return failures + spot + warm; }
  std::int64_t all() const { return needed + spare(); }
};

/// `pools`: the instances that a replica has in each pool. The spot ones of every pool may be lost
/// in part, so each has its own to replace them.
FleetSize fleet_size(const Economics& economics, std::int64_t needed, std::int64_t failures,
                     double cold_start_s, const std::vector<std::int64_t>& pools = {1});

/// How many of the needed replicas are bought in each way, in the order of the shares. One more
/// replica is never one less of any (Sainte-Lague's highest averages), so that cost never falls.
std::vector<std::int64_t> split_of(const Purchase& purchase, std::int64_t needed);

/// Seconds until a new replica serves: weights read at 0.5 GB/s, then 90 s for container and
/// engine. A stand-in within the 2 to 8 minutes that operators report; measure yours.
double assumed_cold_start_s(double weight_bytes);

struct Bill {
  std::vector<BillLine> lines;  ///< by kind of purchase, then by machine, none without replicas

  double usd_per_hour() const;
  std::int64_t idle_gpus() const;
  /// The price of each GPU, once.
  std::vector<Price> prices() const;
};

/// Dollars for a million output tokens; infinite where none are made.
double usd_per_million_tokens(double usd_per_hour, double tokens_per_sec);

/// The kinds of purchase for which no offer is known; empty: none is missing.
std::vector<std::string> missing_offers(const std::vector<Price>& offers, const Purchase& purchase,
                                        bool keeps_spare);

/// Each part in the machines that make it cheapest, of all pools together: they may share a
/// machine. Empty if an offer is missing.
Bill bill_of(const std::vector<Price>& offers, const Purchase& purchase,
             std::int64_t gpus_per_replica, const std::vector<FleetSize>& pools);

/// The bill of replicas that are all bought on demand: what every verb that plans no purchase says
/// they cost.
Bill on_demand_bill(const std::vector<Price>& offers, std::int64_t gpus_per_replica,
                    std::int64_t replicas);

/// The least dollars for a GPU and hour, of that kind of purchase; null: nobody offers it.
const Price* cheapest_offer(const std::vector<Price>& offers, const std::string& commitment);

// How users say what they pay: the map `economics` of a request, and the same as texts of flags.

/// Notes errors in the map. What it does not say stays as it is in `out`. Percentages become
/// shares; the path of the price file is as it stands in the map.
void read_economics(SpecMap map, Economics* out);

/// "on-demand=50,1-year=30,spot=20", percent of the replicas; `spot_loss` is a share. `where` is
/// the name in messages.
Result<Purchase> parse_purchase(std::string_view where, std::string_view text,
                                std::optional<double> spot_loss);

/// "0.15,0.6": dollars per million input and output tokens.
Result<ApiPrice> parse_api_price(std::string_view where, std::string_view text);

}  // namespace plimsoll
