// One request as the traffic presents it, and where requests come from.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"

namespace plimsoll {

enum class SloClass : std::uint8_t { standard, critical, batch, sheddable, background };

/// A run of prompt tokens that other requests may share. Two prompts share their first tokens as
/// far as their segments agree in content from the start; a segment may be a prefix of a longer
/// one with the same content.
struct PrefixSegment {
  std::uint64_t content = 0;
  std::int64_t tokens = 0;
};

struct Request {
  std::int64_t id = 0;  ///< the number in `request_<id>`
  Time arrival;
  std::int32_t input_tokens = 0;       ///< the whole prompt, shared prefix included
  std::int32_t output_tokens = 0;      ///< the true length of the answer, unknown to the engine
  std::int32_t max_output_tokens = 0;  ///< the client's budget; 0 = none
  SloClass slo_class = SloClass::standard;
  Time deadline = kNever;    ///< absolute; the client gives up then
  bool other_model = false;  ///< asks for a model that is not deployed: cannot be routed

  /// Leading shareable segments of the prompt, at most input_tokens in all; owned by the source,
  /// valid as long as the source lives. The rest of the prompt and the answer are `own_content`,
  /// which no other request has unless a test says so.
  std::span<const PrefixSegment> prefix;
  std::uint64_t own_content = 0;
  /// A later request may name this one's own_content in its prefix (the next turn of a session).
  bool reusable = false;
};

/// A stream of requests in order of arrival (equal times in the order they are to be served).
/// Sources may be endless: the simulation pulls one request at a time, as its clock gets there.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// Fills `request` with the next one; false when there are no more.
  virtual bool next(Request* request) = 0;
};

}  // namespace plimsoll
