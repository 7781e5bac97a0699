// The price lists of the catalog, and those of users in the same form.
#include "catalog/catalog.h"
#include "catalog/embedded.h"
#include "catalog/offers.h"

namespace plimsoll {
namespace {

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

Result<std::vector<Price>> read_prices() {
  TRY(spec, open_embedded("prices.yaml"));
  std::vector<Price> prices;
  for (const SpecMap& row : spec.top().maps("rows")) prices.push_back(read_price(row));
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
