#include "report/forecast/alerts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/price.h"
#include "forecast/headroom/provider_limits.h"

namespace plimsoll {

std::string rate_of(std::string_view counter) {
  return fmt::format("sum(rate(vllm:{}[5m]))", counter);
}

namespace {

// The rate of a counter of API clients, as OpenTelemetry names what they measure (semantic
// conventions for GenAI, "gen_ai.client.operation.duration" and "gen_ai.client.token.usage").
std::string client_rate_of(std::string_view counter, const std::string& provider) {
  const std::string whose =
      provider.empty() ? "" : fmt::format("{{gen_ai_provider_name=\"{}\"}}", provider);
  return fmt::format("sum(rate(gen_ai_client_{}{}[5m]))", counter, whose);
}

Query latency_query(std::string_view histogram, const std::optional<double>& percentile) {
  if (!percentile) {
    return {fmt::format("{} / {}", rate_of(fmt::format("{}_sum", histogram)),
                        rate_of(fmt::format("{}_count", histogram))),
            1e-3, "s"};
  }
  return {fmt::format("histogram_quantile({}, sum by (le) (rate(vllm:{}_bucket[5m])))",
                      shortest(*percentile / 100), histogram),
          1e-3, "s"};
}

// A month's bill for tokens of one type, by the last day and at their price.
std::string token_bill(const std::string& provider, std::string_view type, double usd_per_million) {
  if (usd_per_million <= 0) return {};
  constexpr double kMonthS = kHoursOfMonth * 3600;
  const std::string whose =
      provider.empty() ? "" : fmt::format(", gen_ai_provider_name=\"{}\"", provider);
  return fmt::format(
      "sum(rate(gen_ai_client_token_usage_sum{{gen_ai_token_type=\"{}\"{}}}[1d])) * {}", type,
      whose, shortest(usd_per_million * kMonthS / 1e6));
}

// The price of a prompt token at today's share of cached ones, which no metric of clients tells.
double usd_of_prompts(const ForecastReport& r, const std::string& provider,
                      const TokenPrice& price) {
  double tokens = 0;
  double cached = 0;
  for (const Route& route : r.request.baseline) {
    if (!route.from_provider || (!provider.empty() && route.provider != provider)) continue;
    tokens += route.requests_per_s * route.prompt_tokens;
    cached += route.requests_per_s * route.prompt_tokens * route.cached_share;
  }
  const double share = tokens > 0 ? cached / tokens : 0;
  return (1 - share) * price.usd_per_million_in +
         share * price.usd_per_million_cached.value_or(price.usd_per_million_in);
}

// A month's bill for the instances that answer now and the tokens of the last day.
std::optional<Query> bill_query(const ForecastReport& r) {
  std::vector<std::string> parts;
  if (r.usd_per_month > 0 && r.instances > 0) {
    const double each_usd = r.usd_per_month / static_cast<double>(r.instances);
    parts.push_back(fmt::format("count(count by (instance) (vllm:num_requests_running)) * {}",
                                shortest(std::round(100 * each_usd) / 100)));
  }
  const auto add = [&](const std::string& name, const TokenPrice& price) {
    parts.push_back(token_bill(name, "input", usd_of_prompts(r, name, price)));
    parts.push_back(token_bill(name, "output", price.usd_per_million_out));
  };
  if (std::ranges::any_of(r.request.baseline, &Route::from_provider)) {
    for (const Provider& provider : r.request.providers) add(provider.name, provider.price);
    if (r.request.providers.empty()) add("", r.request.provider_price);
  }
  std::erase(parts, "");
  // Where nothing of one part comes, there is no series of it.
  for (std::string& part : parts) part = "(" + part + " or vector(0))";
  if (parts.empty()) return std::nullopt;
  return Query{join(parts, " + "), 1, "currencyUSD"};
}

}  // namespace

Query query_of(const Slo& slo) {
  const char* histogram = slo.metric == &GroupSummary::ttft ? "time_to_first_token_seconds"
                          : slo.metric == &GroupSummary::tpot
                              ? "request_time_per_output_token_seconds"
                          : slo.metric == &GroupSummary::itl ? "inter_token_latency_seconds"
                                                             : "e2e_request_latency_seconds";
  return latency_query(histogram, slo.percentile);
}

Query provider_query(Resource resource, const std::string& provider) {
  if (resource == Resource::provider_requests)
    return {client_rate_of("operation_duration_seconds_count", provider), 1.0 / 60, "reqps"};
  return {client_rate_of("token_usage_sum", provider), 1.0 / 60};
}

std::optional<Query> query_of(Resource resource, const std::optional<double>& capacity,
                              const ForecastReport& r) {
  const char* once = r.splits ? " / 2" : "";
  switch (resource) {
    case Resource::requests:
      // Answers and the growth of what waits: under overload answers alone stay at the capacity.
      return Query{rate_of("request_success_total") + once +
                       " + sum(deriv(vllm:num_requests_running[5m]))"
                       " + sum(deriv(vllm:num_requests_waiting[5m]))",
                   1, "reqps"};
    case Resource::prompt_tokens:
      return Query{fmt::format("{}{} - {}", rate_of("prompt_tokens_total"), once,
                               rate_of("prefix_cache_hits_total"))};
    case Resource::output_tokens:
      return Query{rate_of("generation_tokens_total")};
    case Resource::active_kv_tokens:
      if (capacity.value_or(0) <= 0) return std::nullopt;
      return Query{"avg(vllm:kv_cache_usage_perc)", 1 / *capacity, "percentunit"};
    case Resource::queue_delay:
      return latency_query("request_queue_time_seconds", 95);
    case Resource::provider_requests:
    case Resource::provider_tokens: {
      const auto own = tightest_limit(r.request, flows_of(r.request.forecast), resource);
      return provider_query(resource, own ? own->provider : std::string());
    }
    case Resource::budget:
      return bill_query(r);
    default:
      return std::nullopt;
  }
}

}  // namespace plimsoll
