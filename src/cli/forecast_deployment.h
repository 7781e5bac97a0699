// The deployment of a forecast: the deployment of its file, with the flags of the command line,
// made by the parser and the setup of `plimsoll run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/supply.h"
#include "forecast/history/history.h"

namespace plimsoll {

/// Those of the command line that say what serves, as words.
std::vector<std::string> deployment_flags(const Options& options);

/// Later flags win.
std::vector<std::string> overridden(std::vector<std::string> flags,
                                    const std::vector<std::string>& more);

/// Adds a flag for as many instances as the history counts, where others say what serves and none
/// how many; a note then says so.
std::vector<std::string> follow_instances(const std::optional<History>& past,
                                          std::vector<std::string>* flags);

/// All keys that its "deployment" may have, and those that only other verbs have.
std::vector<DeploymentKey> deployment_keys();

/// The file's deployment says what serves, and its routes what arrives: some of it there.
Result<void> check_deployment(const ForecastRequest& request);

/// Checks, for a file without a deployment, that nothing asks for one, and that there is any
/// capacity.
Result<void> check_without_deployment(const ForecastRequest& request, const Options& options);

/// Keys of the file that change nothing.
std::vector<std::string> notes_on_idle_keys(const ForecastRequest& request);

struct DeployedForecast {
  Served served;
  std::vector<std::string> words;  ///< model, instances and GPUs, price
  std::vector<std::string> notes;  ///< for stderr
};

/// `options`: of the command line, for prices.
Result<DeployedForecast> deploy(const ForecastRequest& request,
                                const std::vector<std::string>& more_flags, const Options& options);

}  // namespace plimsoll
