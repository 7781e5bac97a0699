// Tells what a file is by its name and its lines: `plimsoll describe FILE` needs no flags, and a
// file for another verb is refused by one error that names the verb.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// Sets the flags that name this file as --workload-spec, --trace with --trace-format, or
/// --trace-header with --trace-data (whose other file has the same name but for its ending).
/// Where a format was said, it is a trace of that format.
Result<void> name_input(const std::string& path, TrafficSpec* traffic);

/// Whether the file is the demand of the past that a forecast continues: a CSV file, or the answer
/// of Prometheus to a range query.
bool is_history_file(const std::string& path);

/// An error if the text of the file looks like what another verb reads than this one.
Result<void> check_is_for(std::string_view verb, const std::string& file, std::string_view text);

}  // namespace plimsoll
