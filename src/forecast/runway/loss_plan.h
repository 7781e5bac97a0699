// How many GPUs it takes to survive the loss of instances, a zone or a region at the p90 of the
// peak, by when, and what the instances deployed would be worth after it. All of it is found by
// load tests, as the GPU plan is (forecast/runway/gpu_plan.h): what is left does not hold its
// share, because few share bursts worse than many.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/runway/gpu_plan.h"
#include "forecast/runway/sheet.h"

namespace plimsoll {

struct LossPlan {
  Loss loss;
  std::int64_t gpus = 0;  ///< so that what is left holds the peak; 0: no number is known to
  std::int64_t add_gpus = 0;
  std::optional<double> add_usd_per_month;
  std::int64_t instances_left = 0;  ///< of those deployed
  double peak_per_s = 0;            ///< requests that come then
  double held = 0;                  ///< share of the peak that they handle, 1 at most
  double held_at_slow_end = 1;      ///< LossPeak::slow_end, where none are added
  double stranded = 0;  ///< requests beyond that until replacements serve, after a cold start
  std::optional<double> short_from_s;  ///< when the chance that they are too few is one in ten
  Order order;                         ///< of what is added

  /// What is left is seen to handle the peak, and more are needed to be sure that it does.
  bool is_close() const { return add_gpus > 0 && held >= 1; }
};

/// The peak that a loss comes at.
struct LossPeak {
  double times = 0;                  ///< in units of what the instances deployed carry
  double demand_times = 0;           ///< likewise, but for the doubt about what they carry
  double requests_per_s = 0;         ///< that the deployment answers
  std::int64_t replicas = 0;         ///< the fewest that hold it, with nothing lost
  std::span<const LoadAhead> loads;  ///< empty: without a history there are no dates
  double end_s = 0;                  ///< of the horizon
  double now_s = 0;
  /// Share of what is carried that is carried where the model errs to its harm; 1 with a history,
  /// whose `times` allow for that error.
  double slow_end = 1;
  bool covers_error = false;  ///< the fewest hold it even there
};

/// The share of `times` what those deployed carry that what is left handles.
using HeldBy = std::function<Result<double>(double times, const Served& left)>;

/// `request`: losses, lead time and cold start.
/// A peak of no replicas is one that no number of them is known to hold.
Result<std::vector<LossPlan>> plan_losses(const ForecastRequest& request, const LossPeak& peak,
                                          const Served& served, const FewestFor& fewest,
                                          const HeldBy& held);

HeldBy held_by_tests(const ForecastRequest& request, const HeadroomSheet& headroom,
                     const Execution& execution);

/// At the p90 of the runway's GPU plan; without a runway, at the sheet's forecast. `loads`
/// outlives it.
Result<LossPeak> loss_peak(const HeadroomSheet& headroom, const RunwaySheet* runway,
                           std::span<const LoadAhead> loads, const Served& served,
                           const FewestFor& fewest);

}  // namespace plimsoll
