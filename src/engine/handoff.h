// The notices of an instance about requests whose prompt one instance computes and another one
// answers. Who joins the two (cluster/handoffs.h) takes the notices after each event, in the order
// in which they were given.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace plimsoll {

struct HandoffNotice {
  enum class Kind : std::uint8_t {
    prefilled,  ///< of the one with the prompt: it is computed
    has_room,   ///< of the one that answers: the KV blocks of the prompt may be sent
    gone,       ///< of either, before they are there: the request has left
  };
  Kind kind = Kind::gone;
  std::uint32_t row = 0;  ///< of the request
  std::uint32_t slot = 0;
  Time token = {};          ///< prefilled: when the token that the prefill yields appears
  Duration prefill = {};    ///< prefilled: how long it took, since it was admitted
  std::int64_t blocks = 0;  ///< has_room: to be sent
};

}  // namespace plimsoll
