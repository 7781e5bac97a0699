// Several deployments under the same traffic, seed by seed: their figures, and which differences
// are more than chance (docs/explanation/statistics.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/figures.h"
#include "metrics/summary.h"
#include "stats/paired.h"

namespace plimsoll {

inline constexpr double kComparisonLevel = 0.95;
/// Differences that surely are smaller than this share matter to nobody, be they real or not.
inline constexpr double kNegligible = 0.01;

/// A deployment with one summary per seed; the same seeds, in the same order, for all.
struct VariantRuns {
  std::string name;
  std::optional<double> usd_per_hour;  ///< of all its instances; none: the price is not known
  std::vector<Summary> runs;
};

/// A figure that deployments are compared by. The key is that of --json, with its unit.
struct ComparedFigure {
  std::string key;
  std::string title;
  std::string_view unit;  ///< as GroupFigure has it; "$" of money
  bool more_is_better;
  bool is_per_time = false;  ///< of a whole run, the end in which nothing arrives included
  Figure figure{};           ///< of the cluster; else `of` knows it
  /// None where the run did not measure it.
  std::optional<double> (*of)(const Summary& run, std::optional<double> usd_per_hour) = nullptr;
};

const std::vector<ComparedFigure>& compared_figures();
std::vector<std::string> compared_figure_keys();

struct VariantFigure {
  std::vector<double> by_seed;
  ReplicatedMean mean;
};

/// How many of the runs got which verdict of stats/steady_state.h.
struct VerdictCounts {
  std::size_t steady = 0;
  std::size_t transient = 0;
  std::size_t overloaded = 0;
  std::size_t too_short = 0;
};

struct ComparedVariant {
  std::string name;
  /// In the order of compared_figures(); none unless every run has it.
  std::vector<std::optional<VariantFigure>> figures;
  VerdictCounts verdicts;
  bool holds = true;          ///< not overloaded in most of its runs
  double ending = 0;          ///< share of its runs that the longest requests take (E2E p99), mean
  double least_kept = 1;      ///< mean share within the limit that fewest keep; 1 without limits
  double unserved_share = 0;  ///< of arrivals that did not complete, over all runs
  double too_long_share = 0;  ///< of arrivals that could never be served, over all runs
  ShortResource resource = ShortResource::nothing;  ///< in most runs (metrics/bottleneck.h)

  bool misses_limits() const { return least_kept < kNearlyAll; }
  /// Its latencies are of the others.
  bool turns_lengths_away() const { return too_long_share > kToleratedLoss; }
  /// Less is better: what misses its limits comes after what keeps them, whatever its figures.
  int tier() const { return !holds ? 3 : turns_lengths_away() ? 2 : misses_limits() ? 1 : 0; }
};

/// The difference of one variant less another, in one figure.
struct Difference {
  std::size_t variant = 0;
  std::size_t from = 0;
  std::size_t figure = 0;
  PairedDifference paired;
  double relative = 0;  ///< to the mean of the other; 0 if that is 0
  /// All of the interval is within kNegligible of it, or of a figure per time, where both hold the
  /// load, within what the ends of the runs may make of it; not if equal.
  bool negligible = false;

  bool matters() const { return paired.is_real() && !negligible; }
};

struct Comparison {
  std::size_t seeds = 0;
  std::size_t leading = 0;  ///< the figure that decides
  /// Pairs of variants: all intervals of one figure hold together with kComparisonLevel, whichever
  /// variant turns out best.
  std::size_t pairs = 0;
  std::vector<ComparedVariant> variants;
  std::vector<Difference> differences;  ///< from the first variant: by variant, then by figure

  /// The best of those that hold the load within their limits, else that hold it, else of all:
  /// least or greatest in the leading figure. None if no variant has that figure.
  std::optional<std::size_t> best;
  std::vector<Difference> from_best;  ///< of the others that have it, in the leading figure
};

/// At least two variants with at least one run each; `leading` is an index of compared_figures().
Comparison compare_variants(const std::vector<VariantRuns>& variants, std::size_t leading);

}  // namespace plimsoll
