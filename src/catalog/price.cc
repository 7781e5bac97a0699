#include "catalog/price.h"

#include <algorithm>
#include <tuple>

#include "base/calendar.h"
#include "base/lists.h"
#include "catalog/catalog.h"
#include "catalog/embedded.h"

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

std::vector<std::string> commitments() {
  return {std::begin(kCommitments), std::end(kCommitments)};
}

std::vector<std::string> kinds() { return {std::begin(kPriceKinds), std::end(kPriceKinds)}; }

void check_date(const std::string& date, SpecMap* row) {
  if (price_day(date)) return;
  row->error("date", "\"" + date + "\" is not a date",
             "write 2026-11-09, or 2026-11 or 2026 where no more is known");
}

Price read_price(SpecMap row) {
  Price price;
  price.gpu = row.text("gpu");
  price.vendor = row.text("vendor");
  price.region = row.optional_text("region").value_or("");
  price.instance = row.text("instance");
  price.gpus = row.integer("gpus", {1});
  price.commitment = row.choice("commitment", commitments());
  price.usd_per_hour = row.number("usd_per_hour", kPositive);
  price.kind = row.optional_choice("kind", kinds()).value_or(kListPrice);
  price.date = row.text("date");
  check_date(price.date, &row);
  price.source = row.prose("source");
  return price;
}

// Of a user's row, GPU and dollars are enough.
Price read_own_price(SpecMap row, const std::string& file) {
  constexpr IntRange kGpus{1, 1024};
  constexpr NumberRange kUsd{0, 1e9};
  Price price;
  const std::string gpu = row.text("gpu");
  auto known = find_gpu(gpu, SemanticsMode::vllm);
  price.gpu = known ? known->name : gpu;
  if (!known && !gpu.empty()) {
    const Diagnostic& what = known.error().diagnostics.front();
    row.error("gpu", what.message, what.hint);
  }
  price.vendor = row.optional_text("vendor").value_or("");
  price.region = row.optional_text("region").value_or("");
  price.instance = row.optional_text("instance").value_or("");
  price.gpus = row.optional_integer("gpus", kGpus).value_or(1);
  price.commitment = row.optional_choice("commitment", commitments()).value_or(kOnDemand);
  price.usd_per_hour = row.number("usd_per_hour", kUsd);
  price.kind = row.optional_choice("kind", kinds()).value_or(kListPrice);
  if (const auto date = row.optional_text("date")) {
    price.date = *date;
    check_date(price.date, &row);
  }
  price.source = row.optional_prose("source").value_or(file);
  return price;
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

Result<std::vector<Price>> read_prices() {
  TRY(spec, open_embedded("prices.yaml"));
  std::vector<Price> prices = mapped(spec.top().maps("rows"), read_price);
  mark_prices(newest_day(prices), &prices);
  return spec.finish(std::move(prices));
}

Result<std::vector<Price>> read_price_file(const std::string& path) {
  TRY(spec, SpecFile::read(path));
  std::vector<Price> prices;
  for (const SpecMap& row : spec.top().maps("rows")) prices.push_back(read_own_price(row, path));
  return spec.finish(std::move(prices));
}

}  // namespace plimsoll
