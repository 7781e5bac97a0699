// The thresholds of a forecast as files that watch for them: alert rules of Prometheus and a
// dashboard of Grafana. Both ask for metrics as vLLM 0.12 names them (docs.vllm.ai, "Metrics").
// Called by cli/forecast.cc for `--emit`.
#pragma once

#include <string>
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

}  // namespace plimsoll
