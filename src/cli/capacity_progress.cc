#include "cli/capacity_progress.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"

namespace plimsoll {

WorkSoFar work_so_far(const CapacityProgress& p, const LoadProbe& test,
                      const std::vector<Slo>& slos, const LoadUnit& unit, bool counts_instances) {
  constexpr std::array phases{"searching", "measuring headroom", "varying the step times"};
  WorkSoFar work;
  work.phase =
      fmt::format("{} ({} of {})", phases[static_cast<std::size_t>(p.now)], p.part, p.parts);
  work.share = static_cast<double>(p.part - 1) / p.parts;
  work.done = static_cast<std::size_t>(p.part - 1);
  work.of = static_cast<std::size_t>(p.parts);
  work.detail =
      fmt::format("{}; {} at {}: {}", counted(p.tests, "test"), counted(test.instances, "instance"),
                  load_text(test.rate_rps, unit), reason_text(test, slos));
  work.figures["tests"] = p.tests;
  const auto in_unit = [&](const std::optional<double>& load) {
    const bool is_in_users = load && !counts_instances && unit.counts_users();
    return is_in_users ? static_cast<double>(unit.users(*load)) : load;
  };
  work.figures["unit"] = counts_instances ? "instances" : unit.counts_users() ? "users" : "req/s";
  work.figures["lower"] = in_unit(counts_instances ? p.fails : p.holds);
  work.figures["upper"] = in_unit(counts_instances ? p.holds : p.fails);
  work.figures["test"] = test_so_far_json(test, slos);
  return work;
}

}  // namespace plimsoll
