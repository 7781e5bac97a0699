#include "report/answer/load_charts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/form/page.h"
#include "report/form/svg.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

/// A latency of a test, in milliseconds.
struct Curve {
  std::string name;
  std::optional<double> limit_ms;
  std::function<double(const LoadProbe&)> value;
  std::function<std::optional<Interval>(const LoadProbe&)> interval;
  std::function<double(const LoadProbe&)> median;  ///< empty: not known
  std::function<bool(const LoadProbe&)> fails;
};

Curve curve_of(const Slo& slo, std::size_t index) {
  Curve curve;
  curve.name = name_of(slo);
  curve.limit_ms = to_ms(slo.limit);
  curve.value = [index](const LoadProbe& p) { return p.slos[index].value_ms; };
  curve.interval = [index](const LoadProbe& p) { return p.slos[index].interval_ms; };
  if (!slo.slo_class && slo.percentile.value_or(0) > 50) {
    const Latency metric = slo.metric;
    curve.median = [metric](const LoadProbe& p) { return (p.summary.cluster.*metric).p50_ms; };
  }
  curve.fails = [index](const LoadProbe& p) { return p.slos[index].answer == Answer::fails; };
  return curve;
}

Curve p99_curve_of(Latency metric) {
  Curve curve;
  curve.name = std::string(row_of(metric).title) + " p99";
  curve.value = [metric](const LoadProbe& p) { return (p.summary.cluster.*metric).p99_ms; };
  curve.interval = [](const LoadProbe&) { return std::nullopt; };
  curve.median = [metric](const LoadProbe& p) { return (p.summary.cluster.*metric).p50_ms; };
  curve.fails = [](const LoadProbe&) { return false; };
  return curve;
}

class LatencyChart {
 public:
  LatencyChart(const LoadTests& of, Curve curve) : of_(of), curve_(std::move(curve)) {}

  std::string markup() {
    const std::vector<LoadProbe>& probes = of_.tests;
    Axis x{of_.by_instances ? "instances" : "req/s", 0, 0, of_.by_instances};
    double top = curve_.limit_ms.value_or(0);
    for (const LoadProbe& p : probes) {
      x.high = std::max(x.high, load(p));
      if (p.answer == Answer::holds) top = std::max(top, curve_.value(p));
    }
    const double lowest = load(probes.front());
    x.low = std::max(0.0, of_.by_instances ? lowest - 1 : lowest - (x.high - lowest));
    x.high += of_.by_instances ? 1 : 0.1 * (x.high - x.low);
    const LatencyUnit unit = unit_for(top);
    unit_ms_ = unit.ms;
    constexpr double kRoom = 1.25;
    Axis y{fmt::format("{}, {}", curve_.name, unit.name), 0, std::max(kRoom * top / unit.ms, 1e-6)};
    Chart chart(x, y, finding());
    if (!of_.by_instances && std::isfinite(of_.bad_rps))
      chart.region(of_.bad_rps, x.high, "beyond", "fails");
    draw(&chart, probes);
    if (curve_.limit_ms) {
      chart.limit_y(*curve_.limit_ms / unit.ms,
                    fmt::format("limit {}", ms_or_s(*curve_.limit_ms / 1e3)));
    }
    const LoadProbe& good = of_.good;
    chart.dot(load(good), curve_.value(good) / unit.ms, "pick", 5, hover(good));
    chart.label(load(good), curve_.value(good) / unit.ms, {ms_or_s(curve_.value(good) / 1e3)},
                "pick-text");
    if (of_.by_instances && of_.bad) {
      const LoadProbe& bad = *of_.bad;
      const double value = grows(bad) ? y.high : curve_.value(bad) / unit.ms;
      chart.label(load(bad), value, {grows(bad) ? "queue grows" : ms_or_s(curve_.value(bad) / 1e3)},
                  "limit-text");
    }
    return page_figure(finding(), detail(), chart.svg());
  }

 private:
  double load(const LoadProbe& p) const {
    return of_.by_instances ? static_cast<double>(p.instances) : p.rate_rps;
  }
  std::string load_text(const LoadProbe& p) const {
    return of_.by_instances ? counted(p.instances, "instance")
                            : three_digits(p.rate_rps) + " req/s";
  }
  static bool grows(const LoadProbe& p) { return p.state.grows(); }

  std::string finding() const {
    const LoadProbe& good = of_.good;
    const std::string value = ms_or_s(curve_.value(good) / 1e3);
    if (of_.bad && !grows(*of_.bad) && curve_.fails(*of_.bad)) {
      return fmt::format("{} breaks its limit at {}", curve_.name, load_text(*of_.bad));
    }
    if (!curve_.limit_ms) return fmt::format("{} is {} at {}", curve_.name, value, load_text(good));
    const double share = curve_.value(good) / *curve_.limit_ms;
    return fmt::format("{} takes up {} of its limit at {}", curve_.name, percent(share),
                       load_text(good));
  }

  std::string detail() const {
    std::string text =
        curve_.median ? "Strong: " + curve_.name + " with its 90 % band. Thin: the median." : "";
    const auto any = [&](Answer answer) {
      return std::ranges::count(of_.tests, answer, &LoadProbe::answer) > 0;
    };
    if (any(Answer::fails)) text += " Red: a test that failed.";
    if (any(Answer::unclear)) text += " Yellow ring: too close to call.";
    return trimmed(text);
  }

  // Above the picture they are drawn at its edge: what the queue makes of them says nothing.
  void draw(Chart* chart, const std::vector<LoadProbe>& probes) const {
    Chart::Points values;
    Chart::Points medians;
    Chart::Points low;
    Chart::Points high;
    for (const LoadProbe& p : probes) {
      if (grows(p) || !std::isfinite(curve_.value(p))) continue;
      values.emplace_back(load(p), curve_.value(p) / unit_ms_);
      if (curve_.median) medians.emplace_back(load(p), curve_.median(p) / unit_ms_);
      if (const auto interval = curve_.interval(p)) {
        low.emplace_back(load(p), interval->low / unit_ms_);
        high.emplace_back(load(p), interval->high / unit_ms_);
      }
    }
    chart->band(low, high);
    chart->line(medians, "other");
    chart->line(values, "main");
    for (const LoadProbe& p : probes) {
      const double top = std::numeric_limits<double>::max();
      const double value = grows(p) ? top : curve_.value(p) / unit_ms_;
      chart->dot(load(p), value, style_of(p.answer), 3, hover(p));
    }
  }

  static const char* style_of(Answer answer) {
    return answer == Answer::holds ? "dot" : answer == Answer::fails ? "fails" : "unclear";
  }

  std::string hover(const LoadProbe& p) const {
    return fmt::format("{}: {}; {}", load_text(p),
                       grows(p) ? "grows" : ms_or_s(curve_.value(p) / 1e3),
                       reason_text(p, of_.slos));
  }

  const LoadTests& of_;
  Curve curve_;
  double unit_ms_ = 1;
};

}  // namespace

std::string latency_figures(const LoadTests& of) {
  if (of.tests.size() < 2) return {};
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < of.slos.size(); ++i) curves.push_back(curve_of(of.slos[i], i));
  if (curves.empty()) {
    curves = {p99_curve_of(&GroupSummary::ttft), p99_curve_of(&GroupSummary::e2e)};
  }
  std::string figures;
  for (Curve& curve : curves) figures += LatencyChart(of, std::move(curve)).markup() + "\n";
  return figures;
}

std::string time_figure(const Bottleneck& b) {
  const std::vector<BarPart> parts{{"waiting at the gateway", b.gateway_share, 5},
                                   {"waiting in a queue", b.queue_share, 4},
                                   {"prefill", b.prefill_share, 2},
                                   {"held up by prompts of others", b.prefill_stall_share, 3},
                                   {"decode", b.decode_share, 1},
                                   {"preempted", b.preemption_share, 6}};
  std::vector<std::string> words;
  std::string keys;
  for (const BarPart& part : parts) {
    if (part.share < 0.0005) continue;
    words.push_back(part.name + " " + percent(part.share));
    keys += element("span", "",
                    fmt::format("<i class=\"key p{}\"></i>{}", part.shade, escaped(words.back())));
  }
  if (words.empty()) return {};
  return bar_svg(parts, join(words, ", ")) + element("p", "class=\"small parts\"", keys) + "\n";
}

}  // namespace plimsoll
