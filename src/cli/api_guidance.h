// The guidance that a program or an agent needs for a question before it asks: when it is the right
// one, what it needs, the fields that matter most, and an example that is answered as it stands.
// Read by api_verbs.cc; tests/scenario/serve.py asks the examples.
#pragma once

#include <string_view>

namespace plimsoll {

struct ApiGuidance {
  std::string_view verb;
  std::string_view text;
  std::string_view example;  ///< the fields, as JSON
};

/// Null of a verb that nobody asks over HTTP.
const ApiGuidance* guidance_for(std::string_view verb);

}  // namespace plimsoll
