#include "cli/metric_flags.h"

namespace plimsoll {

Result<SummaryOptions> metric_options(const Options& options) {
  SummaryOptions wanted;
  wanted.definitions = metric_definitions(options.metric_definitions);
  auto warmup = parse_warmup(options.warmup);
  if (!warmup) return pass_on(warmup);
  wanted.warmup = *warmup;
  return wanted;
}

}  // namespace plimsoll
