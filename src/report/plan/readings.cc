// Rules of thumb of capacity planners for three figures of a plan.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/plan_figures.h"
#include "report/plan/figures.h"

namespace plimsoll {
namespace {

/// What capacity planners give as usual for a class of GPUs, in req/s per $/h.
struct UsualReturn {
  std::string_view gpu;  ///< its name begins so
  std::string_view of;
  double low, high;
};
constexpr std::array kUsualReturns{UsualReturn{"A100", "mid-tier GPUs (A100)", 3, 5},
                                   UsualReturn{"L40S", "mid-tier GPUs (A100)", 3, 5},
                                   UsualReturn{"A10", "budget GPUs (A10G)", 5, 10},
                                   UsualReturn{"L4", "budget GPUs (A10G)", 5, 10},
                                   UsualReturn{"T4", "budget GPUs (A10G)", 5, 10},
                                   UsualReturn{"H100", "premium GPUs (H100)", 2, 4},
                                   UsualReturn{"H200", "premium GPUs (H100)", 2, 4},
                                   UsualReturn{"B200", "premium GPUs (H100)", 2, 4}};

std::string return_reading(const CandidateResult& best) {
  const double value = best.qps_per_dollar();
  if (value <= 0) return {};
  std::string text = fmt::format("{} req/s per $/h", three_digits(value));
  const auto usual = std::ranges::find_if(
      kUsualReturns, [&](const UsualReturn& u) { return best.candidate.gpu.starts_with(u.gpu); });
  if (usual == kUsualReturns.end()) return text;
  const char* where = value < usual->low ? "below" : value > usual->high ? "above" : "within";
  return text + fmt::format(
                    ": {} the {:.0f} to {:.0f} that are usual for {}; it depends on model "
                    "and lengths",
                    where, usual->low, usual->high, usual->of);
}

std::string mfu_reading(const GroupSummary& cluster, const Bottleneck& bottleneck,
                        bool larger_batches_may_help) {
  if (!cluster.efficiency) return {};
  const double mfu = cluster.efficiency->mfu;
  std::string text = "MFU " + percent(mfu);
  if (mfu > 0.7) return text + ": above 70 %, excellent; watch the limits under bursts";
  if (mfu >= 0.5) return text + ": between 50 and 70 %, good for a varying load";
  text += ": below 50 %";
  if (bottleneck.resource == ShortResource::decode_bandwidth) {
    text += ", as usual where decoding is bound by memory bandwidth";
  }
  return larger_batches_may_help ? text + "; larger batches or another scheduler may raise it"
                                 : text + "; another scheduler may raise it";
}

std::string memory_reading(const GroupSummary& cluster, std::optional<ShortResource> weakest) {
  const double used = cluster.kv_utilization;
  const std::string text = "KV memory " + percent(used) + " used";
  if (used > kFullKvMemory)
    return text + ": above 85 %, bursts will preempt; a smaller batch is safer";
  if (used >= 0.6) return text + ": between 60 and 85 %, healthy";
  return text + ": below 60 %, room for bursts or longer requests" +
         (weakest == ShortResource::kv_memory ? "" : "; GPUs with less memory may do");
}

}  // namespace

std::vector<std::string> plan_readings(const PlanReport& report) {
  const CandidateResult* best = report.best();
  if (best == nullptr || !best->at_good) return {};
  const ProbeSummary& summary = best->at_good->summary;
  std::vector<std::string> readings{
      return_reading(*best),
      mfu_reading(summary.cluster, summary.bottleneck,
                  larger_batches_may_help(report.request, report.plan, *best)),
      memory_reading(summary.cluster, weakest_resource(report.request, report.plan, *best))};
  std::erase(readings, "");
  return readings;
}

}  // namespace plimsoll
