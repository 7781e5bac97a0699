#include "metrics/model_band.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "random/portable_math.h"

namespace plimsoll {
namespace {

double middle(const MetricInterval& i) { return (i.low + i.high) / 2; }

std::optional<double> middle_of(const Summary& run, const std::string& metric) {
  const MetricInterval* interval = find_interval(run.intervals, metric);
  return interval == nullptr ? std::nullopt : std::optional(middle(*interval));
}

// Beside the steps, a first token waits for what no step time explains.
double error_beside_steps(const ModelError& error, const Figure& figure) {
  const double z = error_of(error, figure);
  return std::sqrt(std::max(0.0, z * z - error.step * error.step));
}

MetricInterval of_the_model(const ModelError& error, const MetricInterval& sampled,
                            const Summary& fast, const Summary& slow) {
  const double center = middle(sampled);
  // Where an end is too short a run for this figure.
  const Figure figure = find_figure(sampled.metric);  // none: attainment, goodput
  const double z = figure.is_latency() ? portable_exp(error.step) : 1;
  const double at_fast = middle_of(fast, sampled.metric).value_or(center / z);
  const double at_slow = middle_of(slow, sampled.metric).value_or(center * z);
  MetricInterval out{sampled.metric, std::min({center, at_fast, at_slow}),
                     std::max({center, at_fast, at_slow})};
  const double beside = portable_exp(error_beside_steps(error, figure));
  out.low /= beside;
  out.high *= beside;
  if (slow.steady_state.verdict != SteadyVerdict::steady && figure.is_latency()) {
    out.high = std::numeric_limits<double>::infinity();
  }
  return out;
}

// Both errors are independent: their distances from the middle add up as squares do.
MetricInterval together(const MetricInterval& sampled, const MetricInterval& model) {
  const double center = middle(sampled);
  const double half = (sampled.high - sampled.low) / 2;
  return {sampled.metric, std::max(0.0, center - std::hypot(half, center - model.low)),
          center + std::hypot(half, model.high - center)};
}

}  // namespace

double error_of(const ModelError& error, const Figure& figure) {
  if (!figure.is_latency()) return 0;
  if (figure.row != &row_of(&GroupSummary::ttft)) return error.step;
  return figure.statistic->member == &LatencySummary::p99_ms ? error.ttft_tail : error.ttft;
}

ModelBand model_band(const ModelError& error, const Summary& central, const Summary& fast,
                     const Summary& slow) {
  ModelBand band;
  band.error = error;
  band.slow = slow.steady_state.verdict;
  for (const MetricInterval& sampled : central.intervals) {
    band.model.push_back(of_the_model(error, sampled, fast, slow));
    band.combined.push_back(together(sampled, band.model.back()));
  }
  return band;
}

}  // namespace plimsoll
