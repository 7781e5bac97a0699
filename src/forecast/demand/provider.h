// The APIs that answer routes: what they ask for tokens, and how many requests and tokens of a
// minute they let in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/spec_file.h"

namespace plimsoll {

struct TokenPrice {
  double usd_per_million_in = 0;
  double usd_per_million_out = 0;
  std::optional<double> usd_per_million_cached;  ///< prompt tokens; none: as all others
};

struct Provider {
  std::string name;  ///< as routes have it in `served_by`
  TokenPrice price;
  std::optional<double> requests_per_min;  ///< that it lets in at most
  std::optional<double> tokens_per_min;    ///< of prompts and answers
};

TokenPrice read_token_price(SpecMap map);

/// A map of providers by name. Errors are noted in it.
std::vector<Provider> read_providers(SpecMap map);

}  // namespace plimsoll
