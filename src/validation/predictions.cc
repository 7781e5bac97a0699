#include "validation/predictions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plimsoll {
namespace {

struct Ends {
  double low = 0;
  double high = 0;
};

double value_of(const CaseFigures& figures, const std::string& path) {
  const auto at = figures.find(path);
  return at == figures.end() ? 0 : at->second;
}

Ends of_the_steps(const std::string& path, const Predictions& p) {
  const auto [low, high] =
      std::minmax({value_of(p.central, path), value_of(p.fast, path), value_of(p.slow, path)});
  return {low, high};
}

// Beside the steps, a first token waits for what no step time explains.
Ends of_first_tokens(const std::string& path, const Predictions& p) {
  const double z = path.ends_with(".p99") ? p.error.ttft_tail : p.error.ttft;
  const double beside = std::sqrt(std::max(0.0, z * z - p.error.step * p.error.step));
  const Ends steps = of_the_steps(path, p);
  return {steps.low / portable_exp(beside),
          steps.high * portable_exp(std::hypot(beside, p.doubts.later))};
}

// The prefix of "stages[1].e2e_ms.mean" is "stages[1].".
std::string prefix_of(const std::string& path) {
  return path.substr(0, path.size() - metric_of(path).size());
}

// A request lasts as much longer as its first token may be later.
Ends of_whole_requests(const std::string& path, const Predictions& p) {
  const std::string first_token = prefix_of(path) + "ttft_ms.mean";
  const Ends steps = of_the_steps(path, p);
  const Ends explained = of_the_steps(first_token, p);
  const Ends wait = of_first_tokens(first_token, p);
  return {steps.low - (explained.low - wait.low), steps.high + (wait.high - explained.high)};
}

// Beside the error of steps, that of an engine whose batches are full: measured rates of the five
// saturated runs are up to 11 % below what is predicted (docs/explanation/accuracy-limits.md).
constexpr double kFullLoad = 0.09;

// A closed loop sends the next request when it has an answer; of a saturated engine a rate is in
// proportion to its steps, and what just falls into a window jumps.
Ends of_rates(const std::string& path, const Predictions& p) {
  const double rate = value_of(p.central, path);
  if (path.starts_with("points[")) {
    const std::string whole = prefix_of(path) + "e2e_ms.mean";
    const double lasts = value_of(p.central, whole);
    const Ends ends = of_whole_requests(whole, p);
    if (ends.low > 0) return {rate * lasts / ends.high, rate * lasts / ends.low};
  }
  const Ends steps = of_the_steps(path, p);
  const double slower = std::hypot(p.error.step, p.doubts.slower, kFullLoad);
  const double faster = std::hypot(p.error.step, p.doubts.faster, kFullLoad);
  return {std::min(steps.low, rate / portable_exp(slower)),
          std::max(steps.high, rate * portable_exp(faster))};
}

Ends ends_of(const std::string& path, const Predictions& p) {
  const std::string metric = metric_of(path);
  if (metric.starts_with("ttft_ms")) return of_first_tokens(path, p);
  if (metric.starts_with("e2e_ms")) return of_whole_requests(path, p);
  if (metric.ends_with("_per_s")) return of_rates(path, p);
  return of_the_steps(path, p);
}

}  // namespace

std::string metric_of(const std::string& path) {
  const std::size_t bracket = path.find("].");
  return bracket == std::string::npos ? path : path.substr(bracket + 2);
}

ScoredFigure compare(const std::string& path, double measured, const Predictions& predictions) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ScoredFigure out;
  out.path = path;
  out.measured = measured;
  out.predicted = value_of(predictions.central, path);
  const Ends ends = predictions.fast.empty() ? Ends{kNone, kNone} : ends_of(path, predictions);
  out.low = ends.low;
  out.high = ends.high;
  return out;
}

}  // namespace plimsoll
