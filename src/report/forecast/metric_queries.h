// Figures of a forecast as Prometheus knows them: the metrics of vLLM, and of clients of providers.
// For the files that watch a forecast (report/forecast/alerts.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/forecast/forecast.h"

namespace plimsoll {

/// A figure of the sheet as Prometheus knows it.
struct Query {
  std::string expression;
  double scale = 1;            ///< from the sheet's unit to that of the expression
  std::string unit = "short";  ///< of Grafana
};

/// What vLLM counted, per second.
std::string rate_of(std::string_view counter);

Query query_of(const Slo& slo);

/// `capacity`: of the resource, where Prometheus has shares of it. None: no metric tells.
std::optional<Query> query_of(Resource resource, const std::optional<double>& capacity,
                              const ForecastReport& r);

}  // namespace plimsoll
