#include "catalog/offers.h"

#include <algorithm>
#include <tuple>

#include "base/calendar.h"
#include "base/units.h"

namespace plimsoll {
namespace {

// Prices without a date come before all others.
std::int64_t day_or_never(const Price& price) { return price_day(price.date).value_or(-1); }

auto way_to_buy(const Price& p) { return std::tie(p.gpu, p.commitment); }
auto seller(const Price& p) { return std::tie(p.vendor, p.region, p.kind); }
auto shape(const Price& p) { return std::tie(p.instance, p.gpus); }

bool supersedes(const Price& newer, const Price& price) {
  if (way_to_buy(newer) != way_to_buy(price) || seller(newer) != seller(price)) return false;
  if (day_or_never(newer) <= day_or_never(price)) return false;
  return shape(newer) == shape(price) || (price.marks.is_old && !newer.marks.is_old);
}

// A list price to any other, and of list prices one of these days.
bool is_preferred(const Price& other, const Price& price) {
  if (way_to_buy(other) != way_to_buy(price) || other.kind != kListPrice) return false;
  return price.kind != kListPrice || (price.marks.is_old && !other.marks.is_old);
}

bool is_cheaper_on_demand(const Price& other, const Price& spot) {
  return other.gpu == spot.gpu && other.commitment == kOnDemand && stands(other) &&
         other.usd_per_gpu_hour() < spot.usd_per_gpu_hour();
}

}  // namespace

std::optional<std::int64_t> price_day(std::string_view date) {
  constexpr std::size_t kYear = 4, kMonth = 7, kDay = 10;
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  std::string whole(date);
  if (whole.size() == kYear) whole += "-01";
  if (whole.size() == kMonth) whole += "-01";
  const auto time = whole.size() == kDay ? parse_written_time(whole) : std::nullopt;
  return time ? std::optional(time->local_ns / kDayNs) : std::nullopt;
}

std::int64_t newest_day(const std::vector<Price>& prices) {
  std::int64_t newest = 0;
  for (const Price& price : prices) newest = std::max(newest, day_or_never(price));
  return newest;
}

void mark_prices(std::int64_t newest_day, std::vector<Price>* prices) {
  for (Price& price : *prices) {
    price.marks = {};
    const auto day = price_day(price.date);
    price.marks.is_old = day && newest_day - *day > kDaysUntilOld;
  }
  for (Price& price : *prices) {
    price.marks.is_superseded =
        std::ranges::any_of(*prices, [&](const Price& other) { return supersedes(other, price); });
  }
  for (Price& price : *prices) {
    price.marks.is_second_choice = std::ranges::any_of(
        *prices, [&](const Price& other) { return is_preferred(other, price); });
  }
  for (Price& price : *prices) {
    price.marks.is_above_on_demand =
        price.commitment == kSpot && std::ranges::any_of(*prices, [&](const Price& other) {
          return is_cheaper_on_demand(other, price);
        });
  }
}

bool stands(const Price& price) {
  return !price.marks.is_superseded && !price.marks.is_second_choice;
}

std::vector<std::string> remarks_on(const Price& price) {
  std::vector<std::string> remarks;
  if (price.kind == "survey") {
    remarks.emplace_back("reported contract price");
  } else if (!price.kind.empty() && price.kind != kListPrice) {
    remarks.push_back(price.kind + " offer");
  }
  if (price.marks.is_old) remarks.emplace_back("old price");
  if (price.marks.is_above_on_demand) remarks.emplace_back("spot above on demand");
  if (price.marks.is_superseded) remarks.emplace_back("superseded");
  return remarks;
}

}  // namespace plimsoll
