#include "report/plan/weakest.h"

#include <algorithm>
#include <array>

namespace plimsoll {

namespace {

// A limit on the time between tokens, which grows with the batch.
bool breaks_gaps(const PlanRequest& request, const LoadProbe& probe) {
  if (probe.state.verdict == SteadyVerdict::overloaded) return false;
  for (std::size_t i = 0; i < probe.slos.size(); ++i) {
    const Latency metric = request.slos[i].metric;
    const bool is_gap = metric == &GroupSummary::itl || metric == &GroupSummary::tpot;
    if (is_gap && probe.slos[i].answer == Answer::fails) return true;
  }
  return false;
}

}  // namespace

const LoadProbe* load_too_much(const PlanReport& report, const CandidateResult& best) {
  if (!report.request.rate_rps) return best.at_bad ? &*best.at_bad : nullptr;
  const auto& headroom = report.plan.headroom;
  return headroom && headroom->at_bad ? &*headroom->at_bad : nullptr;
}

std::string weakest_resource(const PlanReport& report, const CandidateResult& best) {
  const LoadProbe* bad = load_too_much(report, best);
  return bad == nullptr ? "" : bad->summary.bottleneck.resource;
}

bool larger_batches_may_help(const PlanReport& report, const CandidateResult& best) {
  if (best.at_good && best.at_good->summary.cluster.kv_utilization > kFullKvMemory) return false;
  constexpr std::array kHurt{"decode bandwidth", "prefill compute", "KV memory"};
  if (std::ranges::count(kHurt, weakest_resource(report, best)) > 0) return false;
  const LoadProbe* bad = load_too_much(report, best);
  return bad == nullptr || !breaks_gaps(report.request, *bad);
}

}  // namespace plimsoll
