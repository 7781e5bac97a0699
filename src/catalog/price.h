// The price that a vendor asks for GPUs by the hour. Plain facts with their date, no behaviour.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// The hours of a month: the mean over a year.
inline constexpr double kHoursOfMonth = 730;
inline double usd_of_month(double usd_per_hour) { return kHoursOfMonth * usd_per_hour; }

inline constexpr const char* kOnDemand = "on-demand";
inline constexpr const char* kSpot = "spot";
/// How GPUs are sold: Price::commitment.
inline constexpr const char* kCommitments[]{kOnDemand, "reserved-1-year", "reserved-3-years",
                                            kSpot};

/// Who sets the price: the vendor's own list; hosts that rent out their machines through a vendor,
/// without its promises; bids of a market; contracts as others report them. Price::kind.
inline constexpr const char* kListPrice = "list";
inline constexpr const char* kPriceKinds[]{kListPrice, "community", "marketplace", "survey"};

/// The marks by which a buyer tells a price from others.
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

// Which rows of a price list stand for what is paid today, and what a buyer should know of the
// rest. No clock is asked: a price is old beside the newest one that is known.
//
//   superseded     the same vendor, region, kind, commitment and GPU have a newer row, of the same
//                  instance or, where this one is old, of any
//   second choice  not of the vendor's own list, or old, where a list price of that GPU and
//                  commitment is known that is neither
//   old            dated more than 180 days before the newest price; a date that names a year or a
//                  month alone is its first day, no date is never old
//   above on demand  a spot price of a GPU above the lowest one on demand that stands

inline constexpr std::int64_t kDaysUntilOld = 180;

/// Days since 1970-01-01 of "2026-11-09", "2026-07" or "2026"; none: not a date.
std::optional<std::int64_t> price_day(std::string_view date);

/// The newest day of all these; 0: none has a date.
std::int64_t newest_day(const std::vector<Price>& prices);

/// Sets the marks of each row, by the rows of its GPU and the newest day of all that is known.
void mark_prices(std::int64_t newest_day, std::vector<Price>* prices);

/// Whether a plan may take it without being told to.
bool stands(const Price& price);

/// "community offer", "old price", "spot above on demand", "superseded"; none: a plain list price.
std::vector<std::string> remarks_on(const Price& price);

}  // namespace plimsoll
