// The answer of `plimsoll compare` for people and for programs: verdict, figures by variant,
// differences, how far to trust them, what to try next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/price.h"
#include "metrics/comparison.h"
#include "perf/model_error.h"
#include "report/answer/decision.h"
#include "report/answer/next_steps.h"
#include "report/run/terminal.h"
#include "setup/run_config.h"

namespace plimsoll {

/// Share of arrivals from which on their lack is said.
constexpr double kManyUnserved = 0.001;

struct GpuCount {
  std::string gpu;
  std::int64_t gpus = 0;
};

struct VariantFacts {
  std::string flags;  ///< its own, as typed after a command; empty: none
  std::vector<ConfigEntry> config;
  std::vector<GpuCount> gpus_by_kind;  ///< of all pools; first of those that answer
  std::int64_t gpus = 0;
  std::optional<ModelError> model_error;  ///< of its step times
  /// What these are of: model, GPU, layout, formats and engine. The errors of two variants with the
  /// same are the same, and no part of their difference.
  std::string steps_of;
  std::vector<Price> prices;           ///< of its GPUs, each kind once; none: one is not known
  std::string unpriced;                ///< the GPU without a price
  std::optional<double> usd_per_hour;  ///< of all of them
  /// The note on the first run that is concentrated (metrics/fairness.h); empty: none is.
  std::string concentration;
  std::int64_t enough_requests = 0;  ///< of the run that would need most; 0: no such advice
};

struct ComparisonFacts {
  std::vector<std::int64_t> seeds;  ///< that all variants were run with
  std::int64_t seeds_asked = 0;
  std::vector<ConfigEntry> traffic;    ///< the same for all variants
  bool recorded = false;               ///< a trace: the same whatever the seed
  bool closed_loop = false;            ///< when requests arrive depends on the answers
  std::int64_t arrived = 0;            ///< requests in the first run
  std::vector<VariantFacts> variants;  ///< as in the comparison
  std::vector<NextStep> next;
};

/// One sentence or a few in one line, ended by a newline.
std::string comparison_verdict(const Comparison& comparison, const ComparisonFacts& facts);
std::string comparison_text(const Comparison& comparison, const ComparisonFacts& facts,
                            const Style& style);
/// One JSON object; units stand in the names of the keys.
std::string comparison_json(const Comparison& comparison, const ComparisonFacts& facts);

// The first line of a comparison: which variant is best, and whether that is more than chance.

enum class ComparisonOutcome : std::int8_t {
  better,      ///< one variant, by more than chance
  undecided,   ///< one variant, in a single run, or by latencies of fewer requests
  tie,         ///< the best variants cannot be told apart
  too_short,   ///< better or a tie, in runs too short to say whether the load is held
  too_slow,    ///< none of those that hold the load keeps its limits
  too_long,    ///< no variant that holds the load can serve nearly all requests
  overloaded,  ///< no variant holds the load
  no_figure,   ///< no variant has the figure in all its runs
};

struct ComparisonVerdict {
  ComparisonOutcome outcome;
  std::string sentence;

  std::string_view label() const;
  Mood mood() const;
};

ComparisonVerdict verdict_of(const Comparison& comparison, const ComparisonFacts& facts);
/// Yes: one variant is better than all others by more than chance.
Decision decision_of(const Comparison& comparison, const ComparisonFacts& facts);

/// How values of a figure are written: divided by `scale`, the unit behind them, dollars in front.
struct Unit {
  double scale = 1;
  std::string name;

  std::string with(const std::string& number) const {
    if (name == "$") return name + number;
    return name.empty() ? number : number + " " + name;
  }
};

/// For values up to `largest`.
Unit unit_of(const ComparedFigure& f, double largest);

const ComparedFigure& compared_figure(std::size_t f);

/// Dollars of an hour as they are paid, all else with three digits.
std::string number_text(const ComparedFigure& f, double value, double scale);

/// What the one behind the best is clearly better at, as a sentence; empty: nothing.
std::string trade_off(const Comparison& comparison, std::size_t behind);

/// Sentences after others about variants that miss their limits or serve fewer requests.
std::string miss_of(const ComparedVariant& variant);
std::string too_long_of(const ComparedVariant& variant);

/// That most runs of variants are too short to judge, while those of the best are not, as a
/// sentence after others; empty: there is none.
std::string too_short_to_tell(const Comparison& comparison);

/// That the error of the step times may be all that separates the best from one of its rivals in a
/// latency, or more, as a sentence after others; empty: it is not, or no latency decides.
std::string doubt_of_model(const Comparison& comparison, const ComparisonFacts& facts,
                           const std::vector<Difference>& rivals);

/// The chart of a page: the leading figure of each variant as a bar, with its interval. May be
/// empty.
std::string comparison_chart(const Comparison& comparison);

/// "a, b and c"
std::string in_words(const std::vector<std::string>& all);

}  // namespace plimsoll
