// The charts behind an answer of the planner and of a run, as figures of its page: latency against
// load from the tests of a search, and where the time of requests goes.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
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

// A latency against the load, as it is drawn: on its own (load_charts.h), or that of two settings
// in one picture. Pages carry each curve as JSON, and `plimsoll serve` draws two that come back.

struct LoadCurve {
  struct Point {
    double rate_rps = 0;
    std::optional<double> value_ms;  ///< none: it grows with the length of the test
    std::string answer;              ///< name_of(Answer); "brief": a short test, which decides none
  };

  std::string name;  ///< "TTFT p99"
  std::optional<double> limit_ms;
  std::vector<Point> points;           ///< by rate
  std::optional<double> answer_rps{};  ///< of the point that is the answer; none: not known yet
  double highest_rps = 1;              ///< where the picture ends
  double highest_ms = 1;               ///< of what is not off the scale

  /// That of the answer; null without one.
  const Point* answer() const;
};

Json curve_json(const LoadCurve& curve);

/// As curve_json() writes it; none: it is something else. Strangers may have written it.
std::optional<LoadCurve> read_curve(const Json& curve);

/// Figures of a page: one for each name, with the curves of setting A and those of setting B.
std::string compared_figures(const std::vector<LoadCurve>& a, const std::vector<LoadCurve>& b);

}  // namespace plimsoll
