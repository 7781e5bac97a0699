// The thresholds of a forecast as files that watch for them: alert rules of Prometheus and a
// dashboard of Grafana. Both ask for metrics as vLLM 0.12 names them (docs.vllm.ai, "Metrics").
// Called by cli/forecast.cc for `--emit`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/emit/deployment_files.h"
#include "report/forecast/forecast.h"

namespace plimsoll {

/// Names of the forms: prometheus, grafana.
const std::vector<std::string>& alert_forms();

/// prometheus: a watch rule for each limit and each capacity, and a roll-back rule for each
/// scenario; grafana: a panel for each limit and each capacity. What no metric of vLLM tells is
/// named in the file and has no rule.
std::vector<DeploymentFile> alert_files(const std::string& form, const ForecastReport& report);

// The queries of the rules and panels: for the metrics of vLLM, and those of clients of providers
// (metric_queries.cc).

/// A figure of the sheet as Prometheus knows it.
struct Query {
  std::string expression;
  double scale = 1;            ///< from the sheet's unit to that of the expression
  std::string unit = "short";  ///< of Grafana
};

/// The rate of a counter of vLLM, per second.
std::string rate_of(std::string_view counter);

Query query_of(const Slo& slo);

/// What clients send to a provider, or to all of them (""): its requests, or its tokens.
Query provider_query(Resource resource, const std::string& provider);

/// Of resources of providers, what the one sends that uses most of its own limit. `capacity`: of
/// the resource, where Prometheus has shares of it. None: no metric tells.
std::optional<Query> query_of(Resource resource, const std::optional<double>& capacity,
                              const ForecastReport& r);

}  // namespace plimsoll
