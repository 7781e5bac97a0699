// What a deployment has to keep: a limit on the mean or a percentile of a latency. Read from texts
// such as `ttft_p99<500ms`; tested by planner/load_probe.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "metrics/figures.h"
#include "workload/request.h"

namespace plimsoll {

struct Slo {
  Latency metric = &GroupSummary::ttft;  ///< one that clients know
  std::optional<double> percentile;      ///< in (0, 100); none: the mean
  Duration limit;
  std::optional<SloClass> slo_class;  ///< of these requests alone; never with itl

  /// The share of requests (of gaps, for itl) that may exceed the limit.
  double tolerated_share() const { return percentile ? 1 - *percentile / 100 : 1; }
};

/// Whose requests a limit may be about.
enum class SloScope { of_classes, of_all };

/// What users of a kind of service expect.
struct SloPreset {
  std::string name;
  std::string limits;  ///< as parse_slos() reads them
  std::string help;
};
const std::vector<SloPreset>& slo_presets();

/// `[CLASS:]METRIC_STATISTIC<TIME`, several of them separated by commas: "ttft_p99<500ms",
/// "critical:e2e_mean<2s". tbt is another word for itl, latency for e2e. The name of a preset
/// stands for its limits, of which a limit on the same figure takes the place. `where` is the name
/// in messages, whose examples have a class where there may be one.
Result<std::vector<Slo>> parse_slos(std::string_view where, std::string_view text,
                                    SloScope scope = SloScope::of_classes);

/// "ttft_p99_ms", with the class in front: "critical:ttft_p99_ms".
std::string key_of(const Slo& slo);
/// As parse_slos() reads it.
std::string text_of(const Slo& slo);
/// For people: "TTFT p99 < 500 ms".
std::string title_of(const Slo& slo);
/// The same without the limit: "TTFT p99".
std::string name_of(const Slo& slo);

}  // namespace plimsoll
