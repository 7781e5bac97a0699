#include "report/measured/observation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/page.h"
#include "report/form/svg.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMedian = 50;

std::string time_text(double ms) { return ms_or_s(ms / 1e3); }

const ExpectedLatency* expected_of(const LatencyCurve& measured, const ObservationReport& r) {
  if (!r.expected) return nullptr;
  const auto named = [&](const ExpectedLatency& e) { return e.center.name == measured.name; };
  return find_where(r.expected->latencies, named);
}

bool is_within(const ExpectedLatency& expected, double ms, std::size_t p) {
  return expected.low_ms[p - 1] <= ms && ms <= expected.high_ms[p - 1];
}

// "p50 21.0 ms [18.0, 24.5], measured 25.8 ms"
std::string pair_text(const LatencyCurve& measured, const ExpectedLatency& expected,
                      std::size_t p) {
  std::string text = fmt::format("p{} {}", p, time_text(expected.center.at(p)));
  if (expected.has_band()) {
    text += fmt::format(" [{}, {}]", time_text(expected.low_ms[p - 1]),
                        time_text(expected.high_ms[p - 1]));
  }
  return text + ", measured " + time_text(measured.at(p));
}

std::string share_finding(const LatencyCurve& measured, const ExpectedLatency* expected) {
  const std::string name = measured.name;
  if (expected == nullptr) {
    return fmt::format("{} is {} at the median and {} at p99", name,
                       time_text(measured.at(kMedian)), time_text(measured.at(99)));
  }
  const double more = measured.at(kMedian) / expected->center.at(kMedian) - 1;
  std::string text = fmt::format("{} is {} {} than expected at the median", name,
                                 percent(std::fabs(more)), more < 0 ? "shorter" : "longer");
  if (expected->has_band()) {
    const bool within = is_within(*expected, measured.at(kMedian), kMedian);
    text += within ? ", within the model's error" : ", beyond the model's error";
  }
  return text;
}

/// Percentiles upward, latency to the right.
class ShareChart {
 public:
  ShareChart(const LatencyCurve& measured, const ExpectedLatency* expected)
      : measured_(measured), expected_(expected) {}

  std::string markup() const {
    const auto [least_ms, most_ms] = extent();
    const LatencyUnit unit = unit_for(most_ms);
    constexpr double kWide = 10;
    constexpr double kRoom = 1.1;
    Axis x{fmt::format("{}, {}", measured_.name, unit.name), 0, kRoom * most_ms / unit.ms};
    if (most_ms > kWide * least_ms && least_ms > 0) {
      x = {x.label + " (log)", least_ms / unit.ms / kRoom, x.high};
      x.log = true;
    }
    const std::string finding = share_finding(measured_, expected_);
    Chart chart(x, {"% of the requests", 0, 100}, finding);
    draw(&chart, unit);
    return page_figure(finding, detail(), chart.svg());
  }

 private:
  struct Extent {
    double least, most;
  };
  Extent extent() const {
    Extent e{measured_.ms.front(), measured_.ms.back()};
    if (expected_ == nullptr) return e;
    const ExpectedLatency& x = *expected_;
    e.least = std::min(e.least, x.has_band() ? x.low_ms.front() : x.center.ms.front());
    // The end of the band may be far out, where slow steps do not hold the load.
    constexpr double kFar = 2;
    const double center = std::max(e.most, x.center.ms.back());
    const double end = x.has_band() ? x.high_ms.back() : center;
    e.most = std::max(center, std::min(end, kFar * center));
    return e;
  }

  static Chart::Points points_of(const std::vector<double>& ms, const LatencyUnit& unit) {
    Chart::Points points;
    for (std::size_t i = 0; i < ms.size(); ++i)
      points.emplace_back(ms[i] / unit.ms, static_cast<double>(i + 1));
    return points;
  }

  // Without p99, whose first token has a wider error of its own: the band would fold back.
  static Chart::Points band_end(const std::vector<double>& ms, const LatencyUnit& unit) {
    Chart::Points points = points_of(ms, unit);
    if (!points.empty()) points.pop_back();
    return points;
  }

  void draw(Chart* chart, const LatencyUnit& unit) const {
    if (expected_ != nullptr) {
      chart->band(band_end(expected_->low_ms, unit), band_end(expected_->high_ms, unit));
      chart->line(points_of(expected_->center.ms, unit), "other");
    }
    chart->line(points_of(measured_.ms, unit), "main");
    for (const std::size_t p : kToldPercentiles) {
      chart->dot(measured_.at(p) / unit.ms, static_cast<double>(p), "dot", 3, hover(p));
    }
    for (const std::size_t p : {kMedian, kToldPercentiles.back()}) {
      chart->label(measured_.at(p) / unit.ms, static_cast<double>(p),
                   {fmt::format("p{} {}", p, time_text(measured_.at(p)))}, "pick-text");
    }
  }

  std::string hover(std::size_t p) const {
    if (expected_ == nullptr) return fmt::format("p{}: {}", p, time_text(measured_.at(p)));
    return "expected " + pair_text(measured_, *expected_, p);
  }

  std::string detail() const {
    std::string text = "Share of requests that took at most this long.";
    if (expected_ == nullptr) return text;
    text += " Strong: measured. Thin: expected";
    return text + (expected_->has_band() ? ", with the 90 % band of the model's error." : ".");
  }

  const LatencyCurve& measured_;
  const ExpectedLatency* expected_;
};

}  // namespace

std::vector<std::string> expected_texts(const ObservationReport& report) {
  std::vector<std::string> texts;
  for (const LatencyCurve& measured : report.latencies) {
    const ExpectedLatency* expected = expected_of(measured, report);
    if (expected == nullptr) continue;
    texts.push_back(fmt::format("{}: {}; {}", measured.name,
                                pair_text(measured, *expected, kMedian),
                                pair_text(measured, *expected, 99)));
  }
  if (!texts.empty()) {
    texts.insert(texts.begin(),
                 "of " + report.expected->deployment + ", by a simulation of the same requests:");
  }
  return texts;
}

std::string latency_share_figures(const ObservationReport& report) {
  std::string figures;
  for (const LatencyCurve& measured : report.latencies)
    figures += ShareChart(measured, expected_of(measured, report)).markup();
  if (figures.empty()) return {};
  return section(report.expected ? "Measured against expected" : "Latencies",
                 element("div", "class=\"charts\"", figures) + "\n");
}

}  // namespace plimsoll
