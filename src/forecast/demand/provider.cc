#include "forecast/demand/provider.h"

namespace plimsoll {
namespace {

constexpr NumberRange kUsdPerMillion{0, 1e6};
constexpr NumberRange kPerMinute{0, 1e12, true};

}  // namespace

TokenPrice read_token_price(SpecMap map) {
  TokenPrice price{.usd_per_million_in = map.number("input", kUsdPerMillion),
                   .usd_per_million_out = map.number("output", kUsdPerMillion),
                   .usd_per_million_cached = map.optional_number("cached_input", kUsdPerMillion)};
  if (price.usd_per_million_cached > price.usd_per_million_in) {
    map.error("cached_input", "cached tokens cost more than others",
              "\"input\" is the price of a prompt token that is not cached");
  }
  return price;
}

std::vector<Provider> read_providers(SpecMap map) {
  std::vector<Provider> providers;
  for (const std::string& name : map.keys()) {
    SpecMap entry = map.map(name);
    if (name == "deployment" || name == "provider")
      map.error(name, "a provider cannot be called \"" + name + "\"", "give it its own name");
    Provider provider{.name = name,
                      .price = read_token_price(entry.map("price")),
                      .requests_per_min = entry.optional_number("requests_per_min", kPerMinute),
                      .tokens_per_min = entry.optional_number("tokens_per_min", kPerMinute)};
    providers.push_back(std::move(provider));
  }
  return providers;
}

}  // namespace plimsoll
