#include "planner/purchase.h"

#include <algorithm>
#include <limits>

#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// A share such as 0.1 is not exact: what is a whole number but for that stays one.
std::int64_t whole_at_least(double value) {
  return static_cast<std::int64_t>(std::ceil(value - 1e-9));
}

std::vector<PurchaseShare> shares_of(const Purchase& purchase) {
  if (!purchase.shares.empty()) return purchase.shares;
  return {{kOnDemand, 1}};
}

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

// How many of the needed instances of a pool are bought so.
std::int64_t spot_of(const Purchase& purchase, std::int64_t needed) {
  const std::vector<PurchaseShare> shares = shares_of(purchase);
  const auto at = std::ranges::find(shares, kSpot, &PurchaseShare::commitment);
  if (at == shares.end()) return 0;
  return split_of(purchase, needed)[static_cast<std::size_t>(at - shares.begin())];
}

}  // namespace

FleetSize fleet_size(const Economics& economics, std::int64_t needed, std::int64_t failures,
                     double cold_start_s, const std::vector<std::int64_t>& pools) {
  FleetSize fleet{.needed = needed, .failures = failures};
  for (const std::int64_t of_a_replica : pools) {
    const double spot = static_cast<double>(spot_of(economics.purchase, needed * of_a_replica));
    const auto more = static_cast<double>(
        whole_at_least(spot / (1 - economics.purchase.spot_loss)) - std::llround(spot));
    fleet.spot = std::max(fleet.spot, whole_at_least(more / static_cast<double>(of_a_replica)));
  }
  const double growth = economics.growth_per_minute * cold_start_s / 60;
  fleet.warm = whole_at_least(static_cast<double>(needed) * growth);
  return fleet;
}

std::vector<std::int64_t> split_of(const Purchase& purchase, std::int64_t needed) {
  const std::vector<PurchaseShare> shares = shares_of(purchase);
  std::vector<std::int64_t> parts(shares.size(), 0);
  if (shares.size() == 1) {
    parts.front() = needed;
    return parts;
  }
  const auto claim = [&](std::size_t i) {
    return shares[i].share / (2 * static_cast<double>(parts[i]) + 1);
  };
  for (std::int64_t n = 0; n < needed; ++n) {
    std::size_t next = 0;
    for (std::size_t i = 1; i < shares.size(); ++i) {
      if (claim(i) > claim(next)) next = i;
    }
    parts[next] += 1;
  }
  return parts;
}

double assumed_cold_start_s(double weight_bytes) {
  constexpr double kBytesPerSecond = 0.5e9;
  constexpr double kEngineStartSeconds = 90;
  return weight_bytes / kBytesPerSecond + kEngineStartSeconds;
}

double usd_per_million_tokens(double usd_per_hour, double tokens_per_sec) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return tokens_per_sec > 0 ? 1e6 * usd_per_hour / (3600 * tokens_per_sec) : kInfinite;
}

double Bill::usd_per_hour() const { return total_of(lines, &BillLine::usd_per_hour); }

std::int64_t Bill::idle_gpus() const { return total_of(lines, &BillLine::idle_gpus); }

std::vector<Price> Bill::prices() const {
  std::vector<Price> once;
  for (const BillLine& line : lines) add_once(&once, line.price, &Price::gpu);
  return once;
}

std::vector<std::string> missing_offers(const std::vector<Price>& offers, const Purchase& purchase,
                                        bool keeps_spare) {
  std::vector<PurchaseShare> wanted = shares_of(purchase);
  if (keeps_spare) wanted.push_back({kOnDemand, 1});
  std::vector<std::string> missing;
  for (const PurchaseShare& share : wanted) {
    if (share.share <= 0 || cheapest_offer(offers, share.commitment) != nullptr) continue;
    add_once(&missing, share.commitment);
  }
  return missing;
}

Bill bill_of(const std::vector<Price>& offers, const Purchase& purchase,
             std::int64_t gpus_per_replica, const std::vector<FleetSize>& pools) {
  std::vector<PurchaseShare> shares = shares_of(purchase);
  std::vector<std::int64_t> parts(shares.size(), 0);
  std::int64_t at_once = 0;
  for (const FleetSize& pool : pools) {
    const std::vector<std::int64_t> split = split_of(purchase, pool.needed);
    for (std::size_t i = 0; i < shares.size(); ++i)
      parts[i] += split[i] + (shares[i].commitment == kSpot ? pool.spot : 0);
    at_once += pool.failures + pool.warm;
  }
  // What has to be there when others fail, or at once, is not committed to for years.
  auto at = std::ranges::find(shares, kOnDemand, &PurchaseShare::commitment);
  if (at == shares.end()) {
    at = shares.insert(at, {kOnDemand, 0});
    parts.push_back(0);
  }
  parts[static_cast<std::size_t>(at - shares.begin())] += at_once;

  Bill bill;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (parts[i] == 0) continue;
    const std::vector<BillLine> lines =
        cheapest_machines(offers, shares[i].commitment, gpus_per_replica, parts[i]);
    if (lines.empty()) return {};
    bill.lines.insert(bill.lines.end(), lines.begin(), lines.end());
  }
  return bill;
}

Bill on_demand_bill(const std::vector<Price>& offers, std::int64_t gpus_per_replica,
                    std::int64_t replicas) {
  return bill_of(offers, {}, gpus_per_replica, {FleetSize{.needed = replicas}});
}

const Price* cheapest_offer(const std::vector<Price>& offers, const std::string& commitment) {
  const Price* best = nullptr;
  for (const Price& price : offers) {
    if (price.commitment != commitment) continue;
    if (best == nullptr || price.usd_per_gpu_hour() < best->usd_per_gpu_hour()) best = &price;
  }
  return best;
}

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
  // As a request has them: ties between parts are not for the order of words to decide.
  std::ranges::sort(purchase.shares, {}, [](const PurchaseShare& part) {
    return std::ranges::find(kKinds, part.commitment, &Kind::commitment) - std::begin(kKinds);
  });
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
