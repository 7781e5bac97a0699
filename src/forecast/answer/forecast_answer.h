// The answer of a forecast as data: what was asked, the sheet, what comes when and what would help,
// and what follows from these: what is short and by how much, what a loss takes, which lever comes
// first. Told by report/forecast/forecast.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/because.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/levers.h"
#include "forecast/runway/actuals.h"
#include "forecast/runway/gpu_plan.h"
#include "forecast/runway/loss_plan.h"
#include "forecast/runway/sheet.h"
#include "metrics/bottleneck.h"

namespace plimsoll {

/// GPUs that all of the forecast takes as they are deployed, and their cost a month.
struct NeededGpus {
  double gpus = 0;
  std::optional<double> usd_per_month;
  bool may_be_fewer = false;  ///< nobody tested whether fewer than are deployed are enough
};

/// The share of the prompts of sessions that a cache finds at the peak, and would find if it kept
/// every context.
struct SessionHits {
  double found = 0;
  double at_most = 0;
};

struct ForecastAnswer {
  ForecastRequest request;
  HeadroomSheet headroom;
  std::vector<LeverResult> levers;         ///< the best first; empty: not looked for
  std::optional<DemandHistory> history;    ///< behind the runway
  std::vector<DemandOutlook> outlooks;     ///< of what the history has
  std::vector<RouteOutlook> routes_ahead;  ///< as far as the sheet follows it
  std::optional<RunwaySheet> runway;       ///< none without a history
  std::vector<LossPlan> losses;            ///< that the request asks about
  std::optional<ReservePlan> reserve;      ///< that the request asks about
  std::optional<Actuals> actuals;          ///< none without --actuals
  double gpus = 0;                         ///< that are deployed
  std::int64_t instances = 0;              ///< on these
  double usd_per_month = 0;                ///< of them; 0 without a price
  Because<Remedy> longer_requests{Remedy::any_larger_window};  ///< than the deployment takes
  bool splits = false;  ///< prefill and decode are apart, and both count a request

  /// Something is asked for that is not there, or the peak is not held.
  bool is_short() const;
  /// The demand is handled without the model's error, but not with it.
  bool is_short_by_error_alone() const;
  /// No number of GPUs tested handles the forecast at the slow end of the model's error.
  bool is_uncovered() const { return !runway && plimsoll::is_uncovered(headroom); }
  /// A peak of which nothing is handled: no number of instances, and no routing among them, helps.
  /// Longer requests are another matter, of the context window. Null: there is none.
  const PeakCheck* kept_at_no_load() const;
  /// The router leaves instances idle at the peak, and more of them would idle, too: few of them
  /// serve most of it, or the levers show that one more is no gain.
  bool leaves_idle() const;

  /// The share of the whole forecast that is handled where the model errs to its harm; 1: all of
  /// it, or nobody knows. Likewise of what is left after a loss that is survived with those
  /// deployed, and with a lever.
  double least_at_peak() const;
  double least_after_loss() const;
  double least_with(const LeverResult& lever) const;
  /// How much more than the forecast is handled, as a share of it, where this row binds; none where
  /// nobody knows.
  std::optional<double> headroom_with(const SheetRow& binding) const;
  /// Of a capacity, the share that is missing at the highest demand that an order allows for; of a
  /// forecast without a history, at the forecast itself. 0: nothing, or nobody knows how much.
  double missing_share(Resource resource) const;
  /// The largest share of a capacity that the high end of the band takes; 0 where the runway has a
  /// chance for it, which says as much.
  double high_end_of_band() const;
  /// The largest cached share of a route, where it is so large, or was counted by an engine, that
  /// sessions may be behind it; 0 of any other.
  double shared_prefix() const;
  /// A resource whose history is too short to test a forecast; null: none is.
  const RunwayRow* with_short_history() const;
  /// What is short where requests wait too long.
  Resource cause_of_delay() const;
  /// None without sessions.
  std::optional<SessionHits> session_hits() const;
  /// The scenario in which the forecast's caches find nothing, and nothing else happens; null if
  /// the file chose to have none.
  const ScenarioRow* cold_scenario() const;
  /// The provider that uses most of its limits; null: none has any.
  const ProviderRow* first_provider() const;

  /// Of so many GPUs as those deployed, a month; 0 without a price.
  double usd_of(double some) const { return usd_per_month > 0 ? usd_per_month / gpus * some : 0; }
  /// The bill of a month with so much more, where that is beyond the budget.
  std::optional<double> bill_beyond_budget(double more_usd) const;
  /// How many GPUs can be had, where more are wanted.
  std::optional<std::int64_t> quota_of_gpus(std::int64_t wanted) const;
  /// By the sheet; none where no number of GPUs is enough.
  std::optional<NeededGpus> needed_gpus() const;

  /// The loss that takes the most GPUs to survive; null where what is deployed is enough.
  const LossPlan* dearest_loss() const;
  /// That one, or one that no number of GPUs is known to survive; null: all are survived.
  const LossPlan* unsurvived_loss() const;
  /// They come at the slow end of the model's error, too.
  bool losses_allow_for_error() const {
    return headroom.forecast && headroom.forecast->judged && (runway || headroom.gpus_at_slow_end);
  }
};

}  // namespace plimsoll
