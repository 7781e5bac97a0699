#include "forecast/headroom/money.h"

#include "base/lists.h"
#include "catalog/price.h"
#include "planner/estimate.h"

namespace plimsoll {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kMillion = 1e6;

double usd_per_request(const TokenPrice& price, const Flow& flow) {
  const double fresh = flow.fresh_tokens();
  const double cached = price.usd_per_million_cached.value_or(price.usd_per_million_in);
  return (fresh * price.usd_per_million_in + (flow.prompt_tokens - fresh) * cached +
          flow.output_tokens * price.usd_per_million_out) /
         kMillion;
}

// None where nobody said what a provider asks.
const TokenPrice* price_of(const ForecastRequest& request, const Flow& flow) {
  const Provider* own = find_in(request.providers, flow.provider, &Provider::name);
  if (own != nullptr) return &own->price;
  const TokenPrice& price = request.provider_price;
  return price.usd_per_million_in > 0 || price.usd_per_million_out > 0 ? &price : nullptr;
}

// Of the deployment's time, on prompts.
double prefill_share(const ForecastRequest& request, const Served& served,
                     const std::vector<Flow>& flows) {
  const auto shape = token_shape(token_load(flows, LoadGrowth::rate, request.load));
  if (!shape) return 0;
  const Deployment& deployment = served.system.deployment;
  double prompts = 0;
  double all = 0;
  for (const Pool& pool : deployment.pools) {
    const auto gpus = static_cast<double>(pool.num_instances * pool.gpus);
    prompts += gpus * estimate_pool(pool, deployment.splits(), *shape).prefill_share;
    all += gpus;
  }
  return prompts / all;
}

/// What of the deployment's time each flow takes.
struct GpuShares {
  std::optional<double> usd_per_s;  ///< of all GPUs; none without a price
  double prefill = 0;               ///< share of the time that goes into prompts
  double fresh = 0;                 ///< tokens per second of all flows
  double answers = 0;

  double of(const Flow& flow) const {
    const double prompts = fresh > 0 ? flow.requests_per_s * flow.fresh_tokens() / fresh : 0;
    const double decodes = answers > 0 ? flow.requests_per_s * flow.output_tokens / answers : 0;
    return prefill * prompts + (1 - prefill) * decodes;
  }
};

GpuShares gpu_shares(const ForecastRequest& request, const std::optional<Served>& served,
                     const std::optional<double>& gpus, const std::vector<Flow>& flows) {
  GpuShares shares;
  for (const Flow& flow : served_flows(flows)) {
    shares.fresh += flow.requests_per_s * flow.fresh_tokens();
    shares.answers += flow.requests_per_s * flow.output_tokens;
  }
  if (!served || !gpus || !served->usd_per_gpu_hour || served_rate(flows) <= 0) return shares;
  shares.usd_per_s = *gpus * *served->usd_per_gpu_hour / kSecondsPerHour;
  shares.prefill = prefill_share(request, *served, flows);
  return shares;
}

// Of tokens in a month with such a share of the flow; none without a price.
template <class LoadOf>
std::optional<double> provider_usd(const ForecastRequest& request, const std::vector<Flow>& flows,
                                   const LoadOf& load_of) {
  double per_second = 0;
  bool is_priced = !request.providers.empty() || price_of(request, {}) != nullptr;
  for (const Flow& flow : flows) {
    if (!flow.from_provider) continue;
    const TokenPrice* price = price_of(request, flow);
    is_priced = is_priced && price != nullptr;
    if (is_priced)
      per_second += flow.requests_per_s * load_of(flow) * usd_per_request(*price, flow);
  }
  if (!is_priced) return std::nullopt;
  return per_second * kSecondsPerHour * kHoursOfMonth;
}

}  // namespace

std::optional<double> usd_per_month(const Served& served, double gpus) {
  if (!served.usd_per_gpu_hour) return std::nullopt;
  return gpus * *served.usd_per_gpu_hour * kHoursOfMonth;
}

std::optional<double> provider_usd_at_peak(const ForecastRequest& request,
                                           const std::vector<Flow>& flows) {
  return provider_usd(request, flows, [](const Flow&) { return 1.0; });
}

std::optional<double> provider_usd_per_month(const ForecastRequest& request,
                                             const std::vector<Flow>& flows) {
  return usd_per_month(request, flows, false, std::nullopt, std::nullopt);
}

std::optional<double> usd_per_month(const ForecastRequest& request, const std::vector<Flow>& flows,
                                    bool of_baseline, const std::optional<double>& gpus,
                                    const std::optional<Served>& served) {
  std::optional<double> usd;
  if (served && gpus) usd = usd_per_month(*served, *gpus);
  const auto provider = provider_usd(request, flows, [&](const Flow& flow) {
    return request.load_paid(of_baseline, flow.origin);
  });
  if (provider) usd = usd.value_or(0) + *provider;
  return usd;
}

std::vector<RouteCost> route_costs(const ForecastRequest& request,
                                   const std::optional<Served>& served,
                                   const std::optional<double>& gpus_needed,
                                   const std::vector<RouteServable>& too_long) {
  const std::vector<Flow> flows = flows_of(request.forecast);
  const GpuShares gpus = gpu_shares(request, served, gpus_needed, flows);
  std::vector<RouteCost> costs;
  for (const Route& route : request.forecast) {
    double usd_per_s = 0;
    bool is_priced = true;
    for (const Flow& flow : flows) {
      if (flow.origin != route.name) continue;
      const TokenPrice* price = flow.from_provider ? price_of(request, flow) : nullptr;
      is_priced =
          is_priced && (price != nullptr || (!flow.from_provider && gpus.usd_per_s.has_value()));
      if (price != nullptr) {
        usd_per_s += flow.requests_per_s * request.mean_load * usd_per_request(*price, flow);
      } else {
        usd_per_s += gpus.usd_per_s.value_or(0) * gpus.of(flow);
      }
    }
    const double requests = route.requests_per_s * request.mean_load;
    if (requests <= 0 || !is_priced) continue;
    const double per_1k = 1000 * usd_per_s / requests;
    const double of_use = route.share_of_use() * servable_share(too_long, route.name);
    costs.push_back(
        {route.name, per_1k, of_use > 0 ? std::optional(per_1k / of_use) : std::nullopt});
  }
  return costs;
}

}  // namespace plimsoll
