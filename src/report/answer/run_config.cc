#include "report/answer/run_config.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/next_steps.h"

namespace plimsoll {

std::string entry_text(const ConfigEntry& entry) {
  const auto* whole = std::get_if<std::int64_t>(&entry.value);
  if (!entry.interval || whole == nullptr) return entry.key + " " + typed(entry.value);
  return fmt::format("{} {} ({} to {})", entry.key, grouped(*whole), grouped(entry.interval->first),
                     grouped(entry.interval->second));
}

}  // namespace plimsoll
