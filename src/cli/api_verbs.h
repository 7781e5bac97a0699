// The verbs that strangers may ask (serve/api_verb.h), from the tables of verbs and flags: a field
// for each flag that says what is asked and names no file. What a verb reads from a file is sent as
// text; commands are sealed (base/command_files.h), whatever those texts name.
#pragma once

#include <vector>

#include "serve/api_verb.h"

namespace plimsoll {

std::vector<ApiVerb> api_verbs();

}  // namespace plimsoll
