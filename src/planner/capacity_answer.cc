#include "planner/capacity_answer.h"

#include <cmath>

#include "planner/answer_error.h"
#include "planner/headroom.h"

namespace plimsoll {

const LoadProbe* CapacityAnswer::best() const {
  if (fewest) return fewest->instances > 0 ? fewest->of(fewest->instances) : nullptr;
  return rate ? rate->at(rate->good_rps) : nullptr;
}

const LoadProbe* CapacityAnswer::failing() const {
  if (fewest) return fewest->too_few > 0 ? fewest->of(fewest->too_few) : nullptr;
  return rate ? rate->at(rate->bad_rps) : nullptr;
}

const LoadProbe& CapacityAnswer::as_asked() const {
  const LoadProbe* asked = rate && rate_rps > 0 ? rate->at(rate_rps) : nullptr;
  return asked != nullptr && asked->answer == Answer::holds ? *asked : *best();
}

double CapacityAnswer::promised_rps() const {
  return rate && rate_rps <= 0 && model ? std::fmax(0, interval().low) : 0;
}

const LoadProbe& CapacityAnswer::as_promised() const {
  const LoadProbe* promised = promised_rps() > 0 ? rate->at(promised_rps()) : nullptr;
  return promised != nullptr ? *promised : as_asked();
}

const LoadProbe& CapacityAnswer::short_of_pools() const {
  const LoadProbe* asked = rate && rate_rps > 0 ? rate->at(rate_rps) : nullptr;
  if (asked != nullptr && asked->answer == Answer::fails) return *asked;
  const LoadProbe* bad = failing();
  return bad != nullptr ? *bad : as_asked();
}

Answer CapacityAnswer::of_asked_rate() const {
  if (!rate) return holds() ? Answer::holds : Answer::fails;
  const LoadProbe* asked = rate->at(rate_rps);
  if (asked != nullptr && asked->answer != Answer::unclear) return asked->answer;
  if (rate->good_rps >= rate_rps) return Answer::holds;
  return rate_rps >= rate->bad_rps ? Answer::fails : Answer::unclear;
}

const LoadProbe* CapacityAnswer::one_fewer() const {
  return fewest && fewest->instances > 1 ? fewest->of(fewest->instances - 1) : nullptr;
}

double CapacityAnswer::shown_headroom() const {
  const std::optional<RateAnswer>& shown = rate ? rate : spare;
  return shown && rate_rps > 0 ? headroom_of(rate_rps, shown->good_rps) : 0;
}

bool CapacityAnswer::keeps_headroom() const {
  return !headroom_is_asked || 100 * shown_headroom() >= headroom;
}

std::int64_t CapacityAnswer::instances_with_headroom() const {
  if (more_serve_no_more()) return instances_of_answer();
  return plimsoll::instances_with_headroom(instances_of_answer(), shown_headroom(),
                                           wanted_headroom());
}

std::int64_t CapacityAnswer::instances_with_slow_steps() const {
  return model && model->low > 0 ? std::llround(model->high) : 0;
}

std::int64_t CapacityAnswer::instances_to_deploy() const {
  return std::max(instances_with_headroom(), instances_with_slow_steps());
}

Interval CapacityAnswer::interval() const {
  const double best = rate ? rate->good_rps : static_cast<double>(fewest->instances);
  const Interval sampling = rate ? Interval{best, rate->bad_rps}
                                 : Interval{static_cast<double>(fewest->too_few + 1), best};
  if (rate || !model) return whole_interval(best, sampling, model);
  // Whole numbers do not add up as squares do.
  return {std::fmin(sampling.low, model->low), std::fmax(sampling.high, model->high)};
}

}  // namespace plimsoll
