#include "forecast/headroom/provider_limits.h"

#include <algorithm>
#include <cmath>

#include "forecast/demand/token_load.h"
#include "forecast/headroom/money.h"

namespace plimsoll {
namespace {

constexpr double kSimulatedS = 2 * 3600;
constexpr std::int64_t kLeastSimulated = 2000;
constexpr std::int64_t kMostSimulated = 200'000;
constexpr std::int64_t kSettling = 4;  // one in so many requests comes before what is counted

/// Filled evenly, and full with what a minute lets in.
class Bucket {
 public:
  explicit Bucket(const std::optional<double>& per_min) : per_min_(per_min) {}

  void fill(double elapsed_s) {
    if (per_min_) level_ = std::min(*per_min_, level_ + *per_min_ * elapsed_s / kSecondsPerMinute);
  }
  bool has(double amount) const { return !per_min_ || level_ >= amount; }
  void take(double amount) { level_ -= amount; }

 private:
  std::optional<double> per_min_;
  double level_ = 0;
};

Result<double> refused_share(const Provider& provider, std::vector<Flow> flows,
                             const TokenLoadOptions& options) {
  if (!provider.requests_per_min && !provider.tokens_per_min) return 0;
  for (Flow& flow : flows) flow.from_provider = false;  // they are the load here
  const double rate = served_rate(flows);
  const auto count =
      std::clamp<std::int64_t>(std::llround(rate * kSimulatedS), kLeastSimulated, kMostSimulated);
  TRY(load, token_load(flows, LoadGrowth::rate, options)(rate, count));
  Bucket requests(provider.requests_per_min);
  Bucket tokens(provider.tokens_per_min);
  std::int64_t counted = 0;
  std::int64_t refused = 0;
  double now_s = 0;
  Request request;
  for (std::int64_t i = 0; load.source->next(&request); ++i) {
    const double elapsed_s = to_seconds(request.arrival) - now_s;
    now_s += elapsed_s;
    requests.fill(elapsed_s);
    tokens.fill(elapsed_s);
    const double asked = static_cast<double>(request.input_tokens) + request.output_tokens;
    const bool fits = requests.has(1) && tokens.has(asked);
    if (fits) {
      requests.take(1);
      tokens.take(asked);
    }
    if (i < count / kSettling) continue;
    counted += 1;
    refused += fits ? 0 : 1;
  }
  return counted > 0 ? static_cast<double>(refused) / static_cast<double>(counted) : 0;
}

}  // namespace

std::optional<double> limit_of(const Provider& provider, Resource resource) {
  return resource == Resource::provider_requests ? provider.requests_per_min
                                                 : provider.tokens_per_min;
}

std::vector<Flow> flows_to(std::string_view provider, std::vector<Flow> flows) {
  std::erase_if(flows, [&](const Flow& flow) { return flow.provider != provider; });
  return flows;
}

std::optional<double> ProviderRow::used() const {
  std::optional<double> most;
  if (most_requests_per_min) most = requests_per_min / *most_requests_per_min;
  if (most_tokens_per_min) most = std::max(most.value_or(0), tokens_per_min / *most_tokens_per_min);
  return most;
}

std::optional<ProviderLimit> tightest_limit(const ForecastRequest& request,
                                            const std::vector<Flow>& flows, Resource resource) {
  const auto given = request.given.find(resource);
  if (given != request.given.end() && given->second.capacity) return std::nullopt;
  std::optional<ProviderLimit> tightest;
  for (const Provider& provider : request.providers) {
    const auto most = limit_of(provider, resource);
    if (!most) continue;
    const auto demand = at(demand_of(flows_to(provider.name, flows)), resource);
    const ProviderLimit limit{provider.name, demand.value_or(0), *most};
    if (!tightest || limit.used() > tightest->used()) tightest = limit;
  }
  return tightest;
}

Result<std::vector<ProviderRow>> provider_rows(const ForecastRequest& request) {
  std::vector<ProviderRow> rows;
  const std::vector<Flow> all = flows_of(request.forecast);
  for (const Provider& provider : request.providers) {
    const std::vector<Flow> flows = flows_to(provider.name, all);
    const ResourceVector demand = demand_of(flows);
    if (!at(demand, Resource::provider_requests)) continue;
    ProviderRow row{.provider = provider.name,
                    .requests_per_min = *at(demand, Resource::provider_requests),
                    .tokens_per_min = *at(demand, Resource::provider_tokens),
                    .most_requests_per_min = provider.requests_per_min,
                    .most_tokens_per_min = provider.tokens_per_min,
                    .usd_per_month = provider_usd_per_month(request, flows).value_or(0)};
    TRY(refused, refused_share(provider, flows, request.load));
    row.refused = refused;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace plimsoll
