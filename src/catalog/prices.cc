// The price lists of the catalog.
#include "catalog/catalog.h"
#include "catalog/embedded.h"

namespace plimsoll {

Result<std::vector<Price>> read_prices() {
  auto spec = open_embedded("prices.yaml");
  if (!spec) return pass_on(spec);
  std::vector<Price> prices;
  for (SpecMap row : spec->top().maps("rows")) {
    Price price;
    price.gpu = row.text("gpu");
    price.vendor = row.text("vendor");
    price.region = row.optional_text("region").value_or("");
    price.instance = row.text("instance");
    price.gpus = row.integer("gpus", {1});
    price.commitment = row.choice("commitment", {"on-demand", "spot", "reserved-3-years"});
    price.usd_per_hour = row.number("usd_per_hour", kPositive);
    price.date = row.text("date");
    price.source = row.text("source");
    prices.push_back(std::move(price));
  }
  return spec->finish(std::move(prices));
}

Result<std::optional<Price>> lowest_price(std::string_view gpu) {
  auto prices = read_prices();
  if (!prices) return pass_on(prices);
  std::optional<Price> lowest;
  for (Price& price : *prices) {
    if (price.gpu != gpu || price.commitment != "on-demand") continue;
    if (!lowest || price.usd_per_gpu_hour() < lowest->usd_per_gpu_hour()) lowest = std::move(price);
  }
  return lowest;
}

}  // namespace plimsoll
