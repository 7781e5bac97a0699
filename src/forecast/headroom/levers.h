// The changes that could be made to a deployment, each change simulated: how much more of the
// forecast it holds, what that costs, and which pressure it creates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/headroom.h"
#include "forecast/headroom/supply.h"
#include "forecast/outlook/outlook.h"
#include "metrics/pools.h"
#include "planner/load_probe.h"

namespace plimsoll {

/// A smaller change of a figure, as a share of it, is none.
inline constexpr double kFelt = 0.03;

/// A figure that became worse. Of a load that is too much, the growth of its queue stands for its
/// latencies, which only say how long the test was.
struct Pressure {
  std::string what;  ///< "TPOT p99 ms"
  double before = 0;
  double after = 0;
};

/// `smaller_cache` changes nothing where the cache is as small already; `saves` is of use only
/// where all of the forecast is held with it; `turns_away` holds what it lets in.
/// A `migration` is listed in any case.
enum class LeverKind { gains, smaller_cache, saves, turns_away, migration };

/// A change by flags of `plimsoll run`, or of the sizes of several pools.
struct Lever {
  std::string name;
  std::vector<std::string> flags;
  LeverKind kind = LeverKind::gains;
  bool changes_answers = false;  ///< what the model says may differ: to be evaluated first
  bool is_other_gpu = false;     ///< whose step times are another model's
  std::vector<PoolSize> pools =
      {};  ///< where there are several, what they become; else flags say it
};

/// The least share of the forecast that counts: a change of what is held that is not larger is
/// none, as far as tests of levers can tell.
inline constexpr double kToldApart = 0.03;

struct LeverResult {
  Lever lever;
  Line line;        ///< of the forecast
  double more = 0;  ///< of the forecast that is held, in forecasts: 0.25 = a quarter more
  /// `more` within the errors of the step times before and after, where they are not one error that
  /// is common to both: on another GPU or of another model, or with a cache that is known less
  /// well.
  std::optional<Interval> more_interval;
  std::optional<Interval> held_within;  ///< likewise the factor of `line`, by its own error alone
  Runway runway;  ///< of more load than is held with it; not known without a history
  double gpus = 0;
  std::optional<double> usd_per_month;  ///< more than now
  /// The fewest instances of a migration, in whole instances, that hold all of the forecast; none
  /// where no number is known to. Today's are a row of the sheet.
  std::optional<double> gpus_needed;
  std::optional<double> usd_for_needed;  ///< a month
  std::vector<Pressure> worse;

  /// How much more of the forecast is held for each $1,000 a month more; none where nothing is
  /// gained or paid.
  std::optional<double> more_per_1k_usd() const;
  /// More is held, whatever the models' errors.
  bool gains() const { return (more_interval ? more_interval->low : more) > kToldApart; }
  /// Whether what is held cannot be told from what is held now.
  bool changes_nothing() const { return !more_interval && std::abs(more) <= kToldApart; }
  /// Less is held, whatever the models' errors.
  bool loses() const { return (more_interval ? more_interval->high : more) < -kToldApart; }
  /// And costs no more than now.
  bool gains_for_nothing() const { return gains() && usd_per_month && *usd_per_month <= 0; }
  /// All that is asked for is held by less, for less.
  bool saves() const {
    return lever.kind == LeverKind::saves && usd_per_month && *usd_per_month < 0;
  }
  /// It may be that nothing is gained, given the models' errors.
  bool is_uncertain() const { return more_interval && more_interval->low <= 0; }
  /// A change of this deployment that costs nothing and is more than luck.
  bool is_free_change() const;
};

/// Those that apply to the deployment: more instances, or fewer; of a single pool TP instead of
/// instances, or on twice the GPUs where their number is odd; other batches; prompts in chunks, or
/// other chunks; routing by prefix where there are any; an 8-bit KV cache; cheaper GPUs; and where
/// not all is held now, a limit on what is let in. `enough`: instances that hold all that is asked
/// for; fewer than are deployed are a lever.
std::vector<Lever> levers_for(const ForecastRequest& request, const Served& served,
                              const Line& now_held, std::int64_t enough);

struct LeverOptions {
  bool only_migrations = false;
  /// Instances that hold all that is asked for, with what an order allows for; none: those that the
  /// forecast itself needs are searched.
  std::optional<std::int64_t> enough = {};
};

/// Ordered by what a dollar gains: first those that cost nothing more and gain, then by headroom
/// per dollar, then those that save, then those that gain nothing. A lever that cannot be deployed,
/// or then holds none of the requests, is left out; so is one that saves but does not hold them
/// all, and a limit that is broken for those that are let in. The migrations of the request come
/// with them, whatever they hold.
Result<std::vector<LeverResult>> try_levers(const ForecastRequest& request, const Served& served,
                                            const HeadroomSheet& headroom, const Serve& serve,
                                            const Execution& execution,
                                            const LeverOptions& options = {});

}  // namespace plimsoll
