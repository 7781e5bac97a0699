// The findings of `observe`, as text for people and as JSON for programs: what was sent and
// answered, what failed and why, whether the load generator itself can be trusted, latencies.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "metrics/over_time.h"
#include "metrics/summary.h"
#include "net/load_generator.h"
#include "net/metrics_text.h"
#include "net/observation.h"
#include "net/server_probe.h"
#include "report/answer/next_steps.h"
#include "report/run/terminal.h"
#include "setup/expectation.h"
#include "setup/run_config.h"

namespace plimsoll {

struct ObservationReport {
  std::string server;  ///< its address
  std::string model;
  Summary summary;
  ObservationFigures figures;
  const Observation* observation = nullptr;
  std::vector<LatencyCurve> latencies;    ///< as measured
  std::optional<Expectation> expected;    ///< if a deployment was named
  std::optional<double> prefix_hit_rate;  ///< by the server's own counters
  std::vector<std::string> files;         ///< that were written
  RunConfig config;
  std::vector<NextStep> next;
  std::string hint;  ///< in place of next steps, where their command is not known
};

/// One sentence or two in one line, ended by a newline.
std::string observation_verdict(const ObservationReport& report);
std::string observation_text(const ObservationReport& report, const Style& style);

/// The keys of `run --json` that a client can know, and an object "observed".
std::string observation_json(const ObservationReport& report);

// The measurements beside what a simulation expects of them (expected.cc); the page has charts of
// the measured latencies alone, too.

/// The percentiles that are shown of each latency.
inline constexpr std::array<std::size_t, 4> kToldPercentiles{50, 90, 95, 99};

/// One for each latency that was measured and is expected; the first begins with the deployment.
/// Empty where nothing was expected.
std::vector<std::string> expected_texts(const ObservationReport& report);

/// One for each latency that was measured: the share of the requests that took so long at most.
std::string latency_share_figures(const ObservationReport& report);

// PREFIX.server.json: how a real server was set up and asked while it was observed, so that nobody
// needs to remember.

struct ServerRecord {
  std::string recorded_at;  ///< when the load began, as RFC 3339
  ServerRequest request;    ///< its key is not written
  ServerFacts facts;
  std::vector<MetricSample> metrics_after;
  std::optional<double> prefix_hit_rate;
  std::vector<ConfigEntry> load;
};

std::string server_file_text(const ServerRecord& record);

/// Whether a file with this text came from server_file_text().
bool is_server_file(std::string_view text);

}  // namespace plimsoll
