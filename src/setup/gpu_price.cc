#include "setup/gpu_price.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "catalog/catalog.h"

namespace plimsoll {
namespace {

void keep_of(const std::string& gpu, const std::vector<Price>& from, std::vector<Price>* to) {
  for (const Price& price : from) {
    if (price.gpu == gpu && stands(price)) to->push_back(price);
  }
}

Price price_said(const std::string& gpu, double usd, const char* source) {
  Price price;
  price.gpu = gpu;
  price.gpus = 1;
  price.commitment = kOnDemand;
  price.usd_per_hour = usd;
  price.kind = "";
  price.source = source;
  return price;
}

// A name as the catalog has it, if it does.
std::string known_name(const std::string& gpu) {
  const auto known = find_gpu(gpu, SemanticsMode::vllm);
  return known ? known->name : gpu;
}

// By a name of --gpu-price.
bool is_gpu_called(const std::string& gpu, const std::string& name) {
  return to_lower(name) == to_lower(gpu) || known_name(name) == known_name(gpu);
}

// Pools that are bought alike as one, those that answer first.
std::vector<Pool> kinds_of(const Deployment& deployment) {
  std::vector<Pool> pools = deployment.pools;
  std::stable_partition(pools.begin(), pools.end(), std::mem_fn(&Pool::answers));
  std::vector<Pool> kinds;
  for (const Pool& pool : pools) {
    const auto like = std::ranges::find_if(kinds, [&](const Pool& k) {
      return k.gpu == pool.gpu && k.gpus == pool.gpus &&
             k.usd_per_gpu_hour == pool.usd_per_gpu_hour;
    });
    if (like == kinds.end()) {
      kinds.push_back(pool);
    } else {
      like->num_instances += pool.num_instances;
    }
  }
  return kinds;
}

}  // namespace

Result<PriceBook> PriceBook::read(const PriceSpec& prices, const HardwareSpec& hardware,
                                  const std::string& file) {
  PriceBook book;
  book.said_ = prices.by_gpu;
  book.is_of_catalog_ = hardware.config.empty();
  TRY_SET(book.listed_, read_prices());
  if (file.empty()) return book;
  TRY_SET(book.own_, read_price_file(file));
  const std::int64_t newest = std::max(newest_day(book.own_), newest_day(book.listed_));
  mark_prices(newest, &book.own_);
  mark_prices(newest, &book.listed_);
  return book;
}

std::vector<Price> PriceBook::offers_for(const std::string& gpu) const {
  std::vector<Price> offers;
  for (const auto& [name, usd] : said_) {
    if (!name.empty() && !is_gpu_called(gpu, name)) continue;
    // A price for all GPUs comes first in the map; one by name counts more.
    offers.assign(1, price_said(gpu, usd, "--gpu-price"));
  }
  if (offers.empty()) keep_of(gpu, own_, &offers);
  if (offers.empty() && is_of_catalog_) keep_of(gpu, listed_, &offers);
  return offers;
}

std::vector<std::string> PriceBook::gpus() const {
  std::set<std::string> names;
  for (const auto& [name, usd] : said_) {
    if (!name.empty()) names.insert(known_name(to_lower(name)));
  }
  for (const std::vector<Price>* prices : {&own_, &listed_}) {
    for (const Price& price : *prices) names.insert(price.gpu);
  }
  return {names.begin(), names.end()};
}

Result<void> check_priced_gpus(const PriceSpec& prices, const HardwareSpec& hardware) {
  for (const auto& [name, usd] : prices.by_gpu) {
    if (name.empty() || !hardware.config.empty()) continue;
    if (auto known = find_gpu(to_lower(name), SemanticsMode::vllm); !known) {
      const Diagnostic& first = known.error().diagnostics.front();
      return fail(ErrorKind::usage, "--gpu-price: " + first.message, first.hint);
    }
  }
  return {};
}

std::vector<std::string> notes_on_unused_prices(const PriceSpec& prices,
                                                const std::vector<std::string>& gpus) {
  std::vector<std::string> notes;
  for (const auto& [name, usd] : prices.by_gpu) {
    const auto is_it = [&wanted = name](const std::string& gpu) {
      return is_gpu_called(gpu, wanted);
    };
    if (name.empty() || std::ranges::any_of(gpus, is_it)) continue;
    notes.push_back("--gpu-price of " + known_name(to_lower(name)) +
                    " is ignored: the GPUs considered are " + join(gpus, ", "));
  }
  return notes;
}

Result<DeploymentBill> deployment_bill(const PriceSpec& prices, const HardwareSpec& hardware,
                                       const Deployment& deployment) {
  TRY(book, PriceBook::read(prices, hardware, prices.file));
  Bill whole;
  for (const Pool& kind : kinds_of(deployment)) {
    const auto offers = kind.usd_per_gpu_hour
                            ? std::vector{price_said(kind.gpu, *kind.usd_per_gpu_hour, "--fleet")}
                            : book.offers_for(kind.gpu);
    Bill bill = on_demand_bill(offers, kind.gpus, kind.num_instances);
    if (bill.lines.empty()) return DeploymentBill{{}, kind.gpu};
    for (BillLine& line : bill.lines) whole.lines.push_back(std::move(line));
  }
  return DeploymentBill{std::move(whole), ""};
}

Result<std::vector<Price>> offers_of(const PriceSpec& prices, const HardwareSpec& hardware,
                                     const std::string& gpu) {
  TRY(book, PriceBook::read(prices, hardware, prices.file));
  return book.offers_for(gpu);
}

Result<std::optional<Price>> price_of(const PriceSpec& prices, const HardwareSpec& hardware,
                                      const std::string& gpu) {
  TRY(offers, offers_of(prices, hardware, gpu));
  const Price* lowest = cheapest_offer(offers, kOnDemand);
  return lowest == nullptr ? std::nullopt : std::optional(*lowest);
}

}  // namespace plimsoll
