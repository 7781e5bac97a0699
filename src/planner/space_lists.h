// Lists of a request's config_space, read from its file. An error is noted at its key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan_request.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// Of parallel groups.
inline constexpr IntRange kDegree{1, 1024};

/// Whole numbers within the range.
std::vector<std::int64_t> integers(SpecMap& map, const std::string& key, IntRange range);

std::vector<std::string> texts(SpecMap& map, const std::string& key);

std::vector<bool> flags(SpecMap& map, const std::string& key);

/// The formats of weights. What is not said stays as it is.
void read_quantizations(SpecMap& map, ConfigSpace* out);

/// How prompts and answers may be divided over instances. What is not said stays as it is.
void read_disaggregation(SpecMap& map, ConfigSpace* out);

}  // namespace plimsoll
