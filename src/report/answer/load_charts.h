// The charts behind an answer of the planner and of a run, as figures of its page: latency against
// load from the tests of a search, and where the time of requests goes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "metrics/bottleneck.h"
#include "planner/load_probe.h"
#include "planner/load_unit.h"
#include "planner/slo.h"

namespace plimsoll {

/// The tests of one deployment at several rates. All have to outlive the chart.
struct LoadTests {
  const std::vector<LoadProbe>& tests;  ///< by rate
  const std::vector<LoadProbe>& brief;  ///< short ones, by rate (planner/load_curve.h)
  const std::vector<Slo>& slos;
  const LoadProbe* good;           ///< the answer; null: there is none yet
  const LoadProbe* bad = nullptr;  ///< fails beside it
  double bad_rps = std::numeric_limits<double>::infinity();
  LoadUnit unit = {};
};

/// One for each limit, and for each of TTFT, TPOT and E2E latency that none is about, at the same
/// percentile: the latency at each rate that was tested, from none on, with its interval, its limit
/// and where it fails; below them what their marks are. Nothing of fewer than two tests.
std::string latency_figures(const LoadTests& tests);

/// Where the time of requests goes: one bar, and its parts in words.
std::string time_figure(const Bottleneck& bottleneck);

}  // namespace plimsoll
