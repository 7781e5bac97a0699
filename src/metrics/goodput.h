// Goodput: requests that were served within their latency limits. Limits come from the flags
// --slo-ttft, --slo-itl and --slo-e2e, the header of a trace or the workload specification.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "engine/run_record.h"

namespace plimsoll {

/// kNoDuration = no limit.
struct SloLimits {
  Duration ttft = kNoDuration;
  Duration itl = kNoDuration;  ///< of the mean gap between tokens of a request
  Duration e2e = kNoDuration;

  bool any() const { return ttft != kNoDuration || itl != kNoDuration || e2e != kNoDuration; }
};

/// The limits of each SLO class.
using GoodputTargets = std::array<SloLimits, 6>;

bool any(const GoodputTargets& targets);

/// Reads `class=500ms,class=2s` into one dimension; a time without a class is for all classes that
/// are not named. "default" are requests without a class. `flag` is the name in messages.
Result<void> parse_slo_limits(std::string_view flag, std::string_view text,
                              Duration SloLimits::*dimension, GoodputTargets* targets);

/// Takes from `others` the limits that `targets` does not have, class by class and dimension by
/// dimension.
void fill_in(const GoodputTargets& others, GoodputTargets* targets);

/// The goodput of the requests of a class, or of all that have limits.
struct GoodputFigures {
  std::int64_t arrived = 0;  ///< at the cluster: what is turned away or unfinished is not good
  std::int64_t completed = 0;
  std::int64_t good = 0;
  double attainment = 0;   ///< good / arrived
  double goodput_rps = 0;  ///< good / duration of the run
};

struct ClassGoodput {
  std::string name;
  SloLimits limits;
  GoodputFigures figures;
  /// Completed requests within the limit / completed; none without that limit.
  std::optional<double> ttft_attainment;
  std::optional<double> itl_attainment;
  std::optional<double> e2e_attainment;
};

struct Goodput {
  GoodputFigures all;
  std::vector<ClassGoodput> classes;  ///< those with limits, most urgent first
};

/// One limit of a class, and which share of its requests was served within it.
struct KeptLimit {
  std::string slo_class;  ///< empty where no other class has limits and requests
  std::string_view of;    ///< "TTFT", "ITL" or "E2E"
  Duration limit = kNoDuration;
  double share = 1;  ///< of all that arrived
};

/// The limit that the smallest share of its requests was served within: what decides whether limits
/// are kept, as for limits on percentiles (planner/slo.h). None: no request has one.
std::optional<KeptLimit> least_kept(const Goodput& goodput);

/// How a request counts for goodput.
enum class Good : std::int8_t { no_limits, no, yes };

std::vector<Good> judge_requests(const RequestTable& table, const GoodputTargets& targets);

/// `judged` is of judge_requests().
Goodput find_goodput(const RequestTable& table, const GoodputTargets& targets,
                     const std::vector<Good>& judged, double duration_s);

}  // namespace plimsoll
