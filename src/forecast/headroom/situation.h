// One situation of a forecast: what comes, with what clients who try again add to it, what is there
// for it, and what simulating it shows. The baseline, the forecast and each scenario are one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/demand/route.h"
#include "forecast/demand/scenario.h"
#include "forecast/demand/token_load.h"
#include "forecast/headroom/sheet.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

/// The phases of a forecast, as Execution::progressed names them, in the order of its work.
inline constexpr std::string_view kFindingCapacities = "finding capacities";
inline constexpr std::string_view kTryingScenarios = "trying scenarios";
inline constexpr std::string_view kCountingGpus = "counting GPUs";
inline constexpr std::string_view kTryingLevers = "trying levers";
inline constexpr std::string_view kForecastPhases[]{kFindingCapacities, kTryingScenarios,
                                                    kCountingGpus, kTryingLevers};

struct Situation {
  std::vector<Flow> flows;
  std::optional<Served> served;
  double instances = 1;  ///< that are left, as a share of those deployed (Left::share)
  double price = 1;
  double attempts = 1;  ///< per request; see add_retries()
  /// The share of what the prompts of sessions repeat that the cache is seen to find.
  double session_hits = 1;
  std::string problem;            ///< why it cannot be simulated; empty where it can be
  bool is_outage = false;         ///< nothing is left that serves; a problem says what
  std::optional<PeakCheck> peak;  ///< none until it is simulated
  /// The fewest that hold the peak, where those that are there do not; 0: no number does.
  std::int64_t replicas_needed = 0;
  /// The fewest that hold it with steps as long as the model's error allows; 0: nobody asked, or no
  /// number does.
  std::int64_t replicas_at_slow_end = 0;
  /// The line of a cohort of which no share of the demand is held: the share of it that is (its
  /// factor).
  std::optional<Line> cohort_line;

  /// Both parts of the peak were simulated to their end.
  bool is_whole() const;
  /// The peak if it is held, else the largest load of its kind that is; null where none is.
  const LoadProbe* held_probe() const;
};

/// The two parts of a peak; independent of each other.
Result<void> test_peak(const TokenLoadOptions& options, const Execution& execution, Situation* s);
Result<void> find_peak_line(const TokenLoadOptions& options, const LineEffort& effort,
                            const Execution& execution, Situation* s);

/// Of what prompts of sessions repeat, and flows say as their cached share, the share that a cache
/// with this hit rate of all prompts finds; 1 without sessions.
double found_of_repeated(const std::vector<Flow>& flows, double prefix_hit_rate);

/// Makes the cached share of flows of sessions the one that the simulated peak shows. Once.
void see_sessions(Situation* s);

/// Whether or not the test was long enough to be sure.
bool is_over_a_limit(const LoadProbe& probe, const std::vector<Slo>& slos);

/// Both parts are tests, and the one of the peak itself is the longer one: where it breaks a limit
/// no more than the peak is held, and less where that was shown.
void agree_with_test(PeakCheck* peak, const std::vector<Slo>& slos);

/// Where what comes later is so many times what comes now, both have one line: the lower one, once
/// each agrees with its own test.
void share_line(double times, Line* now, Line* later);

/// Finds the replicas for a peak that is seen to break a limit, and of which a share is held.
Result<void> find_replicas_needed(const TokenLoadOptions& options, const Execution& execution,
                                  Situation* s);

/// Judges the peak by all of the model's error, as `plimsoll capacity` does, and where it is asked
/// for counts the replicas that hold the peak at the slow end of that error.
Result<void> judge_peak(const TokenLoadOptions& options, bool counts_replicas,
                        const Execution& execution, Situation* s);

/// How many times some flows are others; none where that is no one number.
std::optional<double> multiple_of(const std::vector<Flow>& before, const std::vector<Flow>& now);

/// How many times what the deployment answered before comes to it now; none where it differs by
/// more than that, or the deployment does. Then both have one line.
std::optional<double> multiple_of(const Situation& before, const Situation& now);

/// Where all but a hundredth of what was simulated is answered in time, nobody tries again.
bool is_patient(const RetryRule& rule, const LoadProbe& probe);

/// Clients send again what takes longer than they wait, and so make more of it take longer: the
/// flows grow to the fixed point. With a share s of attempts that fail, a request is sent
/// 1 + s + ... + s^(n-1) times. Less than a hundredth more of them is none.
Result<void> add_retries(const RetryRule& rule, const TokenLoadOptions& options,
                         const Execution& execution, Situation* s);

/// KV tokens that the requests of a simulated peak hold, p95 over time; none where nothing is held.
std::optional<double> kv_tokens_held(const Situation& s, const TokenLoadOptions& options);

/// GPUs in whole instances for a simulated peak: those that are there, or as many more as hold it;
/// none where no number does.
std::optional<double> gpus_in_use(const Situation& s);

}  // namespace plimsoll
