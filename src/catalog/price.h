// What a vendor asks for GPUs by the hour. Plain facts with their date, no behaviour.
#pragma once

#include <cstdint>
#include <string>

namespace plimsoll {

inline constexpr const char* kOnDemand = "on-demand";
inline constexpr const char* kSpot = "spot";
/// How GPUs are sold: Price::commitment.
inline constexpr const char* kCommitments[]{kOnDemand, "reserved-1-year", "reserved-3-years",
                                            kSpot};

/// Who sets the price: the vendor's own list; hosts that rent out their machines through a vendor,
/// without its promises; bids of a market; contracts as others report them. Price::kind.
inline constexpr const char* kListPrice = "list";
inline constexpr const char* kPriceKinds[]{kListPrice, "community", "marketplace", "survey"};

/// What a buyer should know of a price beside others (catalog/offers.h).
struct PriceMarks {
  bool is_old = false;
  bool is_superseded = false;     ///< the same vendor asks another price by now
  bool is_second_choice = false;  ///< old or no list price, where there are others
  bool is_above_on_demand = false;
};

/// One row of a price list. GPUs are priced by the instance: the same GPU costs more or less per
/// piece in another shape.
struct Price {
  std::string gpu;  ///< a name of the GPU catalog
  std::string vendor;
  std::string region;  ///< empty: the vendor names none
  std::string instance;
  std::int64_t gpus = 0;  ///< in the instance
  std::string kind = kListPrice;
  std::string commitment;   ///< one of kCommitments
  double usd_per_hour = 0;  ///< of the instance, before tax and discounts
  std::string date;         ///< as far as it is known: "2026-11-09", "2026-07", "2026"
  std::string source;
  PriceMarks marks;

  double usd_per_gpu_hour() const { return usd_per_hour / static_cast<double>(gpus); }
};

}  // namespace plimsoll
