#include "report/plan/figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"

namespace plimsoll {
namespace {

std::string usd(double dollars) { return "$" + three_digits(dollars); }

bool says_it_all(const Bill& bill) {
  return bill.lines.size() == 1 && bill.lines.front().price.gpus == 1 &&
         bill.lines.front().price.commitment == kOnDemand;
}

}  // namespace

std::string cost_text(const CandidateResult& best) {
  const PlanCost cost = cost_of(best);
  std::string text =
      fmt::format("${:.2f}/h: {} per 1k requests, {} per million output tokens", best.usd_per_hour,
                  usd(cost.usd_per_1k_requests), usd(cost.usd_per_million_tokens));
  if (std::isfinite(cost.wh_per_1k_tokens) && cost.wh_per_1k_tokens > 0) {
    text += fmt::format("; about {} Wh per 1k output tokens (from TDP)",
                        three_digits(cost.wh_per_1k_tokens));
  }
  return says_it_all(best.bill) ? text + "; " + offer_text(*best.price) : text;
}

std::string bought_text(const CandidateResult& best) {
  if (best.bill.lines.empty() || says_it_all(best.bill)) return {};
  std::vector<std::string> parts;
  for (const BillLine& line : best.bill.lines) {
    std::string text =
        fmt::format("{} {} for ${:.2f}/h at {}", counted(line.replicas, "replica"),
                    line.price.commitment, line.usd_per_hour(), offer_text(line.price));
    if (line.price.gpus > 1) {
      text += fmt::format(", {} of {} GPUs", counted(line.instances, "instance"), line.price.gpus);
    }
    parts.push_back(std::move(text));
  }
  if (const std::int64_t idle = best.bill.idle_gpus(); idle > 0) {
    parts.push_back(counted(idle, "GPU") + " idle, as instances are bought whole");
  }
  return join(parts, "; ");
}

std::string spare_text(const PlanRequest& request, const CandidateResult& best) {
  const FleetSize& fleet = best.fleet;
  std::vector<std::string> parts;
  if (fleet.failures > 0) parts.push_back(counted(fleet.failures, "replica") + " for failures");
  if (fleet.spot > 0) {
    parts.push_back(fmt::format("{}, as {} of the spot ones may be lost at a time",
                                counted(fleet.spot, "replica"),
                                percent(request.economics.purchase.spot_loss)));
  }
  if (fleet.warm > 0) {
    parts.push_back(
        fmt::format("{} warm, as the load may grow by {} a minute and a new one takes "
                    "{} s to start",
                    counted(fleet.warm, "replica"), percent(request.economics.growth_per_minute),
                    three_digits(best.cold_start_s)));
  }
  if (parts.empty()) return {};
  return join(parts, "; ") + ": paid for beyond what the load needs";
}

std::string unpriced_text(const PlanRequest& request, const Plan& plan) {
  std::map<std::string, std::vector<std::string>> gpus_without;
  for (const CandidateResult& r : plan.candidates) {
    if (r.missing_prices.empty()) continue;
    std::vector<std::string>& gpus =
        gpus_without[no_price_for(request.economics.purchase, r.missing_prices)];
    if (std::ranges::count(gpus, r.candidate.gpu) == 0) gpus.push_back(r.candidate.gpu);
  }
  std::vector<std::string> parts;
  for (const auto& [no_price, gpus] : gpus_without)
    parts.push_back(no_price + " " + join(gpus, ", "));
  return join(parts, "; ");
}

std::vector<std::string> price_advice(const PlanRequest& request, const Plan& plan) {
  const std::string unpriced = unpriced_text(request, plan);
  if (unpriced.empty()) return {};
  const auto left_out = std::ranges::count_if(
      plan.candidates, [](const CandidateResult& r) { return !r.missing_prices.empty(); });
  const Purchase& purchase = request.economics.purchase;
  std::string text = fmt::format("{} left out, as {}: {} gives them",
                                 counted(left_out, "candidate"), unpriced, price_flag(purchase));
  if (!purchase.shares.empty()) {
    text += " (a row for each GPU and commitment), or buy in another way (--purchase)";
  }
  return {text};
}

std::string api_text(const PlanRequest& request, const CandidateResult& best) {
  const auto api = api_cost_of(request.economics, best);
  if (!api) return {};
  std::string text =
      fmt::format("${:.2f}/h at {} req/s, {} per 1k requests; own GPUs cost ", api->usd_per_hour,
                  three_digits(best.good_rps), usd(api->usd_per_1k_requests));
  if (api->break_even_rps <= best.good_rps) {
    return text + fmt::format("less above {} req/s on average, {} of what they hold",
                              three_digits(api->break_even_rps),
                              percent(api->break_even_rps / best.good_rps));
  }
  text += "more at any rate that they hold";
  if (!std::isfinite(api->break_even_rps)) return text;
  return text + fmt::format(" (less only above {} req/s)", three_digits(api->break_even_rps));
}

}  // namespace plimsoll
