// The load on each provider at the forecast's peak, what it lets in, and what it charges.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/demand/route.h"

namespace plimsoll {

/// A limit of a provider, and what of it is asked for.
struct ProviderLimit {
  std::string provider;
  double demand = 0;
  double most = 0;

  double used() const { return demand / most; }
};

struct ProviderRow {
  std::string provider;
  double requests_per_min = 0;
  double tokens_per_min = 0;
  std::optional<double> most_requests_per_min;
  std::optional<double> most_tokens_per_min;
  double refused = 0;  ///< share of its requests that are over a limit while the peak lasts
  double usd_per_month = 0;

  /// The share of the limit that is used most; none without a limit.
  std::optional<double> used() const;
};

/// None where that provider has none on `resource`, requests or tokens of providers.
std::optional<double> limit_of(const Provider& provider, Resource resource);

/// Those that the provider of this name answers.
std::vector<Flow> flows_to(std::string_view provider, std::vector<Flow> flows);

/// Of the provider that uses the largest share of its limit on `resource`, requests or tokens of
/// providers. None where no provider has one, or `resources` gives one for all of them.
std::optional<ProviderLimit> tightest_limit(const ForecastRequest& request,
                                            const std::vector<Flow>& flows, Resource resource);

/// The forecast's, in the order of the file; without those to which nothing comes. Refusals are
/// counted in a simulation of arrivals against two buckets that are filled evenly and hold what a
/// minute lets in, one of requests and one of tokens; a request that is refused is not sent again.
Result<std::vector<ProviderRow>> provider_rows(const ForecastRequest& request);

}  // namespace plimsoll
