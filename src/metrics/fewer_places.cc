#include "metrics/fewer_places.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {

std::optional<FewerPlaces> fewer_places(const LoadEvidence& e) {
  const double batch = e.cluster.mean_batch_size;
  const double places = std::floor(e.room());
  if (!e.overloaded() || !e.preempts() || e.deployment.pools.size() > 1) return std::nullopt;
  if (places < 1 || places >= batch || e.cluster.completed == 0) return std::nullopt;

  // Of an instance's time for a request, its prompt is needed once; the steps of its answer are
  // shared with all that are in the batch.
  const double busy_s = static_cast<double>(e.work.busy_ns) / 1e9;
  const double prompts_s = static_cast<double>(e.work.prompts_ns) / 1e9;
  const double needed = std::fmin(1, ratio_or_zero(e.needed_prompt_tokens, e.work.prefill_tokens));
  const double share_now = e.decode_step_s(batch) / batch;
  const double share_then = e.decode_step_s(places) / places;
  const double then_s = needed * prompts_s + (busy_s - prompts_s) * share_then / share_now;

  constexpr double kClearly = 1.1;  // beyond the error of such arithmetic
  if (busy_s < kClearly * then_s) return std::nullopt;
  const double instances = static_cast<double>(e.instances());
  return FewerPlaces{static_cast<std::int64_t>(places), instances * e.completed() / then_s,
                     instances * e.completed() / busy_s};
}

}  // namespace plimsoll
