// A latency against the load, as it is drawn: on its own (load_charts.h), or that of two settings
// in one picture. Pages carry each curve as JSON, and `plimsoll serve` draws two that come back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace plimsoll {

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
