#include "cli/economics.h"

#include "planner/economics_request.h"

namespace plimsoll {

Result<void> say_economics(const Options& options, Economics* economics) {
  if (!options.price_file.empty()) economics->price_file = options.price_file;
  std::optional<double> loss;
  if (options.spot_loss) loss = *options.spot_loss / 100;
  if (!options.purchase.empty()) {
    auto purchase = parse_purchase("--purchase", options.purchase, loss);
    if (!purchase) return pass_on(purchase);
    economics->purchase = std::move(*purchase);
  } else if (loss && economics->purchase.shares.empty()) {
    return fail(ErrorKind::usage, "--spot-loss needs a purchase with spot capacity",
                "--purchase spot=100, or economics.purchase of the request");
  } else if (loss) {
    economics->purchase.spot_loss = *loss;
  }
  if (!options.api_price.empty()) {
    auto price = parse_api_price("--api-price", options.api_price);
    if (!price) return pass_on(price);
    economics->api = *price;
  }
  if (options.growth) economics->growth_per_minute = *options.growth / 100;
  if (options.cold_start_s && economics->growth_per_minute <= 0) {
    return fail(ErrorKind::usage, "--cold-start needs --growth",
                "how many replicas have to be warm depends on how fast the load grows");
  }
  if (options.cold_start_s) economics->cold_start_s = options.cold_start_s;
  return {};
}

}  // namespace plimsoll
