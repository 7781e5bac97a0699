#include "planner/economics_request.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"

namespace plimsoll {
namespace {

/// A kind of purchase by its names in requests, in flags and in price lists.
struct Kind {
  const char* key;
  const char* word;
  const char* commitment;
};
constexpr Kind kKinds[]{{"on_demand", "on-demand", kCommitments[0]},
                        {"commitment_1y", "1-year", kCommitments[1]},
                        {"commitment_3y", "3-years", kCommitments[2]},
                        {"spot", "spot", kCommitments[3]}};

constexpr NumberRange kPercent{0, 100};
constexpr NumberRange kSpotLoss{0, 90};
constexpr NumberRange kUsdPerMillion{0, 1e6};

// What is wrong with it; empty: nothing.
std::string fault_of(const Purchase& purchase, bool says_loss) {
  double sum = 0;
  bool any_spot = false;
  for (const PurchaseShare& part : purchase.shares) {
    sum += part.share;
    any_spot = any_spot || part.commitment == kSpot;
  }
  if (std::abs(sum - 1) > 1e-9) {
    return "the parts of a purchase are " + shortest(std::round(1e10 * sum) / 1e8) +
           " percent together, not 100";
  }
  if (any_spot && !says_loss) {
    return "a purchase with spot capacity needs the percentage of it that may be lost at a time";
  }
  return {};
}

Purchase read_purchase(SpecMap map) {
  Purchase purchase;
  for (const Kind& kind : kKinds) {
    const double share = map.optional_number(kind.key, kPercent).value_or(0) / 100;
    if (share > 0) purchase.shares.push_back({kind.commitment, share});
  }
  const auto loss = map.optional_number("spot_loss", kSpotLoss);
  purchase.spot_loss = loss.value_or(0) / 100;
  if (const std::string fault = fault_of(purchase, loss.has_value()); !fault.empty()) {
    map.error("", fault, "for example {on_demand: 50, spot: 50, spot_loss: 25}");
  }
  return purchase;
}

}  // namespace

void read_economics(SpecMap map, Economics* out) {
  if (const auto file = map.optional_text("price_file")) out->price_file = *file;
  if (auto purchase = map.optional_map("purchase")) out->purchase = read_purchase(*purchase);
  if (auto api = map.optional_map("api_price")) {
    out->api.emplace();
    out->api->usd_input = api->number("input", kUsdPerMillion);
    out->api->usd_output = api->number("output", kUsdPerMillion);
  }
  if (const auto growth = map.optional_number("growth_per_minute", {0, 1000})) {
    out->growth_per_minute = *growth / 100;
  }
  if (const auto start = map.optional_number("cold_start_s", {0, 86'400}))
    out->cold_start_s = *start;
}

Result<Purchase> parse_purchase(std::string_view where, std::string_view text,
                                std::optional<double> spot_loss) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    return fail(ErrorKind::usage, std::string(where) + ": " + what, hint);
  };
  constexpr const char* kForm = "for example on-demand=50,1-year=30,spot=20 with --spot-loss 25";
  Purchase purchase;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string word(item.substr(0, equals));
    const Kind* known = nullptr;
    std::vector<std::string> words;
    for (const Kind& kind : kKinds) {
      words.emplace_back(kind.word);
      if (word == kind.word) known = &kind;
    }
    if (known == nullptr)
      return refuse("unknown purchase \"" + word + "\"", suggestion(word, words));
    double percent = 0;
    if (equals == item.size() || !parse_double(item.substr(equals + 1), &percent) ||
        !(percent >= 0 && percent <= 100)) {
      return refuse("\"" + std::string(item) + "\" is no percentage from 0 to 100", kForm);
    }
    for (const PurchaseShare& other : purchase.shares) {
      if (other.commitment == known->commitment) return refuse("two parts " + word, kForm);
    }
    if (percent > 0) purchase.shares.push_back({known->commitment, percent / 100});
    if (item.size() == text.size()) break;
    text.remove_prefix(item.size() + 1);
  }
  purchase.spot_loss = spot_loss.value_or(0);
  const std::string fault = fault_of(purchase, spot_loss.has_value());
  if (!fault.empty()) return refuse(fault, kForm);
  return purchase;
}

Result<ApiPrice> parse_api_price(std::string_view where, std::string_view text) {
  ApiPrice price;
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto is_usd = [](double usd) { return usd >= 0 && usd <= kUsdPerMillion.max; };
  if (comma == text.size() || !parse_double(text.substr(0, comma), &price.usd_input) ||
      !parse_double(text.substr(comma + 1), &price.usd_output) || !is_usd(price.usd_input) ||
      !is_usd(price.usd_output)) {
    return fail(ErrorKind::usage,
                std::string(where) + ": \"" + std::string(text) + "\" is no pair of prices",
                "dollars per million input and output tokens, for example 0.15,0.6");
  }
  return price;
}

}  // namespace plimsoll
