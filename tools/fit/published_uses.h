// Which published tables decide which rows of catalog/kernels/: for each set of kernels the GPU it
// was measured on and the tables of AIConfigurator's collectors that are read for it.
#pragma once

#include <string>
#include <vector>

namespace plimsoll {

/// The rows of a table that decide a row of ours.
struct Use {
  std::string section;  ///< of ours
  std::string key;
  std::string table;
  std::string collector;  ///< engine and version: "vllm-0.24.0"; or "vidur"
  std::string dtype;      ///< of weights, for attention of the cache; empty = the table has one
  std::string dtype2{};   ///< latent attention: of the cache
  std::string kernel{};   ///< in the name of the kernel; empty = any
};

struct PublishedSet {
  std::string kernels;  ///< "hopper"
  std::string gpu;      ///< as the catalog calls it: "H100"
  std::string folder;   ///< of the tables: "h100_sxm"
  double cache_bytes = 0;
  std::vector<Use> uses;
  bool in_mean = false;  ///< of the architectures that an unknown one is taken for
};

/// In the order in which they are to be fitted: later sets rest on earlier ones.
const std::vector<PublishedSet>& published_sets();

}  // namespace plimsoll
