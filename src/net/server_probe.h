// The questions to a server before and after a load: which models it serves, how it is set up, how
// it counts words, whether it can be told how long an answer shall be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/completion_api.h"
#include "net/http_transfers.h"
#include "net/load_generator.h"
#include "net/metrics_text.h"
#include "net/prompt_text.h"

namespace plimsoll {

struct ServerFacts {
  TokenScale scale;
  bool counts_tokens = false;         ///< reports usage; else a word is taken for a token
  bool takes_exact_length = false;    ///< min_tokens and ignore_eos are no error
  std::optional<ServedModel> model;   ///< if the server lists its models
  std::vector<MetricSample> metrics;  ///< before the load; empty if it has none
  std::vector<std::string> notes;     ///< for stderr
};

/// Sends two or three short requests. An io error if the server cannot be reached or answers none
/// of them, a usage error if it serves another model.
Result<ServerFacts> probe_server(HttpTransfers& transfers, const ServerRequest& server,
                                 std::uint64_t salt);

/// The samples of /metrics now; empty if it says nothing.
std::vector<MetricSample> server_metrics(HttpTransfers& transfers, const ServerRequest& server);

}  // namespace plimsoll
