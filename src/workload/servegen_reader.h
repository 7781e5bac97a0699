// The files of ServeGen data one by one (servegen.h reads whole folders). All errors are spec
// errors with their place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workload/line_reader.h"
#include "workload/servegen.h"

namespace plimsoll {

/// The seconds of a year: starts of windows lie within.
constexpr std::int64_t kMaxServegenSecond = 366 * 86'400;

/// Finds a process by the publisher's name of a pattern; none for a name that nobody knows.
std::optional<ArrivalProcess> servegen_process(std::string_view pattern);

/// chunk-<id>-trace.csv: start second, rate in requests per second, coefficient of variation of the
/// gaps, pattern (Gamma, Weibull or other), and perhaps shape and scale in seconds. A line of names
/// may come first.
Result<std::vector<ServegenWindow>> read_servegen_windows(LineReader lines);

/// chunk-<id>-dataset.json: from start second to input_tokens, output_tokens and perhaps
/// reason_ratio, each a text such as "{10: 0.25, 20: 0.75}", values with their probabilities.
Result<std::vector<ServegenLengths>> parse_servegen_dataset(const std::string& text,
                                                            const std::string& file);

/// The trimmed form: client,t_s,rate_rps,cv,arrival_dist,p1,p2 and client,t_s,field,q00,...,q100,
/// with input_tokens, output_tokens and perhaps reason_ratio as fields.
Result<ServegenData> read_trimmed_servegen(LineReader windows, LineReader lengths);

}  // namespace plimsoll
