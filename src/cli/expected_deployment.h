// `observe --expect FLAGS`: what the observed server is said to be, so that a simulation of it can
// be set beside what was measured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/options.h"
#include "setup/expectation.h"
#include "setup/setup.h"

namespace plimsoll {

struct ExpectedDeployment {
  Options options;  ///< of `run`
  Setup setup;
};

/// None where nobody asked. The model is that of `observe` unless the flags name one.
Result<std::optional<ExpectedDeployment>> expected_deployment(const Options& options);

/// The latencies that a simulation of it expects of the traffic that was recorded with this prefix.
Result<Expectation> expect_of(const ExpectedDeployment& said, const std::string& prefix,
                              const MetricDefinitions& how, std::size_t first_row);

/// " --model qwen3-14b --hardware H100": what of it that verb takes, for a POSIX shell.
std::string flags_for(std::string_view verb, const ExpectedDeployment& said);

}  // namespace plimsoll
