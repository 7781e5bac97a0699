// PREFIX.server.json: how a real server was set up and asked while it was observed, so that nobody
// needs to remember.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/load_generator.h"
#include "net/metrics_text.h"
#include "net/server_probe.h"
#include "setup/run_config.h"

namespace plimsoll {

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
