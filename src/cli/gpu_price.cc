#include "cli/gpu_price.h"

#include "base/text.h"
#include "catalog/catalog.h"

namespace plimsoll {

Result<std::optional<Price>> price_of(const Options& options, const std::string& gpu) {
  for (const std::string& name : {to_lower(gpu), std::string()}) {
    const auto own = options.gpu_prices.find(name);
    if (own == options.gpu_prices.end()) continue;
    Price price;
    price.gpu = gpu;
    price.gpus = 1;
    price.usd_per_hour = own->second;
    price.source = "--gpu-price";
    return price;
  }
  if (!options.hardware_config.empty()) return std::optional<Price>();
  return lowest_price(gpu);
}

}  // namespace plimsoll
