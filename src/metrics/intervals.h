// Intervals of the headline metrics.
#pragma once

#include <vector>

#include "engine/run_record.h"
#include "metrics/figures.h"
#include "metrics/goodput.h"
#include "metrics/summary.h"
#include "perf/model_error.h"

namespace plimsoll {

/// Empty unless the verdict is steady. A metric the run is too short for is left out. `summary` has
/// all else by now. `good` says what requests are to goodput; empty if nobody asked.
std::vector<MetricInterval> headline_intervals(const RunRecord& record, const Summary& summary,
                                               const std::vector<Good>& good);

/// Where the verdict is steady, requests and tokens per second of the cluster become those between
/// the warm-up and the last arrival. Called before the intervals are taken, which lie around them.
void take_steady_rates(const RunRecord& record, Summary* summary);

// The effect of the step-time model's error on the figures of a run. The same run is simulated
// with steps as short and as long as the error allows: near saturation a few per cent of a step are
// the difference between milliseconds and minutes, so no figure is stretched. Filled in by the
// verbs that simulate (setup/model_band.h).

/// The part of the model's error that longer steps do not show: a first token also waits for what
/// no step time explains. `percentile`: 0 is the mean.
double error_beside_steps(const ModelError& error, Latency metric, double percentile);

/// 90 % intervals, of the same metrics in the same order as Summary::intervals. A latency's
/// high end is infinite where slow steps do not hold the load, or nobody can tell.
ModelBand model_band(const ModelError& error, const Summary& central, const Summary& fast,
                     const Summary& slow);

/// Both errors of a figure at once, with the middle of `sampled`.
MetricInterval together(const MetricInterval& sampled, const MetricInterval& model);

}  // namespace plimsoll
