#include "report/answer/words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/limit_words.h"

namespace plimsoll {

std::string four_digits(double rps) {
  constexpr double kWhole = 999.95;
  if (rps >= kWhole) return grouped(std::llround(rps));
  const int digits = rps > 0 ? static_cast<int>(std::floor(std::log10(rps))) : 0;
  return fmt::format("{:.{}f}", rps, std::clamp(3 - digits, 0, 9));
}

std::string seeds_text(const std::vector<Slo>& slos, const LoadProbe& held) {
  if (held.seeds == 1) return "held with these requests, others may hold 2 % less";
  std::string text = fmt::format("held with {} seeds", held.seeds);
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const auto& range = held.slos[i].over_seeds_ms;
    if (!range) continue;
    const std::string low = ms_or_s(range->low / 1e3);
    const std::string high = ms_or_s(range->high / 1e3);
    text += ", " + name_of(slos[i]) + " " + (low == high ? low : low + " to " + high);
  }
  return text;
}

std::string binding_text(const LoadProbe& held, const LoadProbe* failing) {
  const ShortResource binds = held.summary.bottleneck.resource;
  const std::string name(name_of(binds));
  if (failing == nullptr || failing->summary.bottleneck.resource == binds) return name;
  return fmt::format("{}, {} where it fails", name, name_of(failing->summary.bottleneck.resource));
}

std::string headroom_text(double asked_rps, double good_rps, double bad_rps) {
  if (good_rps > asked_rps) {
    return fmt::format("up to {} req/s hold, {} more than asked for", four_digits(good_rps),
                       percent(good_rps / asked_rps - 1));
  }
  if (std::isinf(bad_rps)) return "none could be shown";
  return fmt::format("none could be shown, and it is less than {}",
                     percent(bad_rps / asked_rps - 1));
}

}  // namespace plimsoll
