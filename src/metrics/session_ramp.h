// Conversations that begin during a run: at first those are missing that began before it, so that
// fewer requests arrive than later, and a system fills up whatever its load.
#pragma once

#include "base/units.h"
#include "engine/run_record.h"

namespace plimsoll {

/// After how long nearly all of the conversations are under way that would be, where these begin
/// without end and do not wait for answers.
Duration filling_of(const RequestTable& table);

}  // namespace plimsoll
