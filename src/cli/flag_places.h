// Where verbs take what people expect a flag for (Verb::place_of).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// Of `plan`, which reads it from its request; empty: nobody knows.
std::string place_in_request(std::string_view flag);

/// Of `forecast`, whose traffic stands in its file.
std::string place_in_forecast(std::string_view flag);

/// Of verbs that run: those that search keep limits, these count the requests within theirs.
std::string place_of_limits(std::string_view flag);

/// What --slo calls by another word, one note for each.
std::vector<std::string> notes_on_limits(std::string_view slo);

}  // namespace plimsoll
