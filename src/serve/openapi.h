// The description of the API (OpenAPI 3.1), of the rows of its verbs.
#pragma once

#include <string>
#include <vector>

#include "serve/api_verb.h"

namespace plimsoll {

Json openapi(const std::vector<ApiVerb>& verbs, const std::string& version);

}  // namespace plimsoll
