#include "cli/traffic.h"

namespace plimsoll {

bool asks_for_recorded(const Options& options) {
  return !options.trace.empty() || !options.trace_header.empty() || !options.trace_data.empty() ||
         options.trace_format.has_value();
}

Result<Traffic> any_traffic(const Options& options, const std::string& model) {
  return asks_for_recorded(options) ? recorded_traffic(options, model)
                                    : generated_traffic(options, model);
}

}  // namespace plimsoll
