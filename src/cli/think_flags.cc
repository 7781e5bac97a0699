#include "cli/think_flags.h"

#include "cli/setup.h"

namespace plimsoll {

Result<std::optional<ThinkTime>> think_time_of(const Options& options) {
  const bool constant = options.is_given("--think-time-ms");
  if (!options.think_time_dist.empty()) {
    if (constant) {
      return fail(ErrorKind::usage, "--think-time-ms and --think-time-dist exclude each other");
    }
    auto drawn = parse_think_time(options.think_time_dist);
    if (!drawn) return pass_on(drawn);
    return std::optional(*drawn);
  }
  const bool zero_counts = semantics_of(options).think_times_exclude_service;
  if (!constant || (options.think_time_ms == 0 && !zero_counts)) {
    return std::optional<ThinkTime>();
  }
  return std::optional(ThinkTime::of(milliseconds(options.think_time_ms)));
}

}  // namespace plimsoll
