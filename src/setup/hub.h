// Models that are not built in: their config.json from a cache of this machine, else from the
// Hugging Face hub. Reads the environment: XDG_CACHE_HOME, HF_HOME, HF_ENDPOINT, HF_TOKEN,
// PLIMSOLL_OFFLINE.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/model.h"

namespace plimsoll {

/// Whether a name has the form of a hub's id, OWNER/NAME, of letters, digits, '.', '-' and '_'.
bool is_hub_id(const std::string& name);

struct HubModel {
  ModelConfig config;
  std::string origin;  ///< "cache" or "hub"
};

/// Its config.json in a cache of this machine; none: it is not there.
std::optional<std::string> cached_config(const std::string& id);

/// A downloaded file is kept in the cache once it has been read without errors. `offline`: only
/// caches are asked.
Result<HubModel> find_hub_model(const std::string& id, bool offline);

}  // namespace plimsoll
