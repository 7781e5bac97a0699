#include "report/answer/levers.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"

namespace plimsoll {

bool leaves_idle(const LoadProbe* test) {
  return test != nullptr && test->summary.bottleneck.lever.cause == Remedy::spread_requests;
}

Because<Remedy> bucket_alone(const Because<Remedy>& lever) {
  if (lever.cause != Remedy::refill_and_instances) return lever;
  return {Remedy::faster_refill, lever.figures[0], lever.figures[1], lever.figures[3]};
}

std::string_view flag_to_omit(Remedy lever) {
  if (lever == Remedy::default_rule) return "batching-rule";
  if (lever == Remedy::default_places) return "max-num-seqs";
  if (lever == Remedy::default_tokens) return "max-num-batched-tokens";
  return lever == Remedy::default_memory ? "gpu-memory-utilization" : "";
}

std::string router_to_try(const ProbeSummary& failing) {
  if (!failing.pools.goes_by_speed && failing.pools.has_unlike_answers)
    return "try --routing-policy least-loaded, which sends each pool what it can serve";
  if (!failing.found_before) return {};
  return fmt::format(
      "try --routing-policy session-affinity: {} of later rounds find the one before in a KV cache",
      percent(*failing.found_before));
}

std::string let_more_in(const LoadProbe* failing, double wanted_rps) {
  if (failing == nullptr) return {};
  Limit limit = failing->summary.bottleneck;
  if (limit.resource != ShortResource::admission) return {};
  limit.lever = bucket_alone(limit.lever);
  // The tokens that arrive are those of the rate that was tested.
  if (limit.lever.cause == Remedy::faster_refill)
    limit.lever.figures[0] *= wanted_rps / failing->rate_rps;
  return capitalised(remedy_text(limit.lever)) + " at " + rate_text(wanted_rps);
}

}  // namespace plimsoll
