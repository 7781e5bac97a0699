#include "report/answer/load_charts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
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

// The percentiles that each latency of a summary has; else the nearest of them above.
double figure_at(const LatencySummary& latency, double percentile) {
  if (percentile <= 50) return latency.p50_ms;
  if (percentile <= 90) return latency.p90_ms;
  return percentile <= 95 ? latency.p95_ms : latency.p99_ms;
}

double known_percentile(double percentile) {
  for (const double known : {50.0, 90.0, 95.0}) {
    if (percentile <= known) return known;
  }
  return 99;
}

// A latency that no limit is about.
Curve curve_of(Latency metric, double percentile) {
  Curve curve;
  curve.name = fmt::format("{} p{:.0f}", row_of(metric).title, percentile);
  curve.value = [=](const LoadProbe& p) {
    return figure_at(p.summary.cluster.*metric, percentile);
  };
  curve.interval = [](const LoadProbe&) { return std::nullopt; };
  if (percentile > 50)
    curve.median = [metric](const LoadProbe& p) { return (p.summary.cluster.*metric).p50_ms; };
  curve.fails = [](const LoadProbe&) { return false; };
  return curve;
}

class LatencyChart {
 public:
  LatencyChart(const LoadTests& of, Curve curve) : of_(of), curve_(std::move(curve)) {}

  std::string markup() {
    const double top = highest_ms();
    const LatencyUnit unit = unit_for(top);
    unit_ms_ = unit.ms;
    constexpr double kRoom = 1.25;
    Axis y{fmt::format("{}, {}", curve_.name, unit.name), 0, std::max(kRoom * top / unit.ms, 1e-6)};
    const bool counts_users = of_.unit.counts_users();
    Chart chart({counts_users ? "users" : "req/s", 0, load(highest_rate())}, y, finding());
    if (of_.bad_rps < highest_rate())
      chart.region(load(of_.bad_rps), load(highest_rate()), "beyond", "fails");
    draw(&chart);
    if (curve_.limit_ms) {
      chart.limit_y(*curve_.limit_ms / unit.ms,
                    fmt::format("limit {}", ms_or_s(*curve_.limit_ms / 1e3)));
    }
    if (const LoadProbe* good = of_.good) {
      const double value = curve_.value(*good) / unit.ms;
      chart.dot(load(good->rate_rps), value, "pick", 5, hover(*good));
      chart.label(load(good->rate_rps), value, {ms_or_s(curve_.value(*good) / 1e3)}, "pick-text");
    }
    // Others compare rates.
    return page_figure(finding(), "", chart.svg(), counts_users ? Json() : curve_json(data()));
  }

  // What the marks of all charts are.
  std::string key() const {
    std::string text = deployed() + " Strong line: the percentile" + with_band() + ".";
    if (curve_.median) text += " Thin: the median.";
    const auto any = [&](Answer answer) {
      return std::ranges::count(of_.tests, answer, &LoadProbe::answer) > 0;
    };
    if (!of_.brief.empty()) text += " Grey dot: a short test, for the curve alone.";
    if (any(Answer::fails)) text += " Cross: a test that failed.";
    if (any(Answer::unclear)) text += " Diamond: too close to call.";
    const bool any_beyond = std::ranges::any_of(
        of_.tests, [&](const LoadProbe& p) { return p.rate_rps > highest_rate() || grows(p); });
    if (any_beyond) text += " Arrowhead: off the scale.";
    return text;
  }

 private:
  std::string load_text(const LoadProbe& p) const { return rough_load_text(p.rate_rps, of_.unit); }
  // Along the axis.
  double load(double rate_rps) const {
    return of_.unit.counts_users() ? rate_rps * of_.unit.round_s : rate_rps;
  }
  static bool grows(const LoadProbe& p) { return p.state.grows(); }

  // A little beyond what holds and what fails beside it: a search may have begun far away.
  double highest_rate() const {
    constexpr double kBeyond = 1.1;
    double highest = of_.good != nullptr ? of_.good->rate_rps
                     : of_.brief.empty() ? of_.tests.back().rate_rps
                                         : of_.brief.back().rate_rps;
    for (const LoadProbe& p : of_.tests) {
      if (p.answer == Answer::holds) highest = std::max(highest, p.rate_rps);
    }
    return kBeyond * (std::isfinite(of_.bad_rps) ? std::max(highest, of_.bad_rps) : highest);
  }

  // Without an answer and a limit, of whatever does not grow.
  double highest_ms() const {
    double top = curve_.limit_ms.value_or(0);
    for (const LoadProbe& p : of_.tests) {
      if (p.answer == Answer::holds) top = std::max(top, curve_.value(p));
    }
    if (top > 0) return top;
    for (const LoadProbe& p : of_.brief) {
      const double value = curve_.value(p);
      if (std::isfinite(value) && !grows(p)) top = std::max(top, value);
    }
    return top;
  }

  std::string finding() const {
    if (of_.good == nullptr) return fmt::format("{} by short tests", curve_.name);
    const LoadProbe& good = *of_.good;
    const std::string value = ms_or_s(curve_.value(good) / 1e3);
    if (of_.bad && !grows(*of_.bad) && curve_.fails(*of_.bad)) {
      return fmt::format("{} breaks its limit at {}", curve_.name, load_text(*of_.bad));
    }
    if (!curve_.limit_ms) return fmt::format("{} is {} at {}", curve_.name, value, load_text(good));
    const double share = curve_.value(good) / *curve_.limit_ms;
    return fmt::format("{} takes up {} of its limit at {}", curve_.name, percent(share),
                       load_text(good));
  }

  LoadCurve data() const {
    LoadCurve out{.name = curve_.name, .limit_ms = curve_.limit_ms, .points = {}};
    for (const LoadProbe* p : by_rate()) {
      const double value = curve_.value(*p);
      const bool is_known = !grows(*p) && std::isfinite(value);
      out.points.push_back({p->rate_rps, is_known ? std::optional(value) : std::nullopt,
                            is_brief(*p) ? "brief" : std::string(name_of(p->answer))});
    }
    if (of_.good != nullptr) out.answer_rps = of_.good->rate_rps;
    out.highest_rps = highest_rate();
    out.highest_ms = std::max(highest_ms(), 1e-6);
    return out;
  }

  bool is_brief(const LoadProbe& test) const {
    return std::ranges::any_of(of_.brief, [&](const LoadProbe& p) { return &p == &test; });
  }

  std::string deployed() const {
    if (of_.good != nullptr) {
      return fmt::format("Large dot: the answer, {} at {}.",
                         counted(of_.good->instances, "instance"), load_text(*of_.good));
    }
    const LoadProbe& any = of_.brief.empty() ? of_.tests.front() : of_.brief.front();
    return fmt::format("With {}.", counted(any.instances, "instance"));
  }

  std::string with_band() const {
    const bool has_any = std::ranges::any_of(
        by_rate(), [&](const LoadProbe* p) { return bool(curve_.interval(*p)); });
    return has_any ? " with its 90 % band" : "";
  }

  std::vector<const LoadProbe*> by_rate() const {
    std::vector<const LoadProbe*> all;
    for (const auto* some : {&of_.brief, &of_.tests}) {
      for (const LoadProbe& p : *some) all.push_back(&p);
    }
    std::ranges::sort(all, {}, [](const LoadProbe* p) { return p->rate_rps; });
    return all;
  }

  // Above the picture they are drawn at its edge: what the queue makes of them says nothing.
  void draw(Chart* chart) const {
    Chart::Points values;
    Chart::Points medians;
    Chart::Points low;
    Chart::Points high;
    for (const LoadProbe* p : by_rate()) {
      if (grows(*p) || !std::isfinite(curve_.value(*p)) || p->rate_rps > highest_rate()) continue;
      const double at = load(p->rate_rps);
      values.emplace_back(at, curve_.value(*p) / unit_ms_);
      if (curve_.median) medians.emplace_back(at, curve_.median(*p) / unit_ms_);
      if (const auto interval = curve_.interval(*p)) {
        low.emplace_back(at, interval->low / unit_ms_);
        high.emplace_back(at, interval->high / unit_ms_);
      }
    }
    chart->band(low, high);
    chart->line(medians, "other");
    chart->line(values, "main");
    for (const LoadProbe& p : of_.brief) mark(chart, p, "brief", 3);
    for (const LoadProbe& p : of_.tests) mark(chart, p, style_of(p.answer), 3);
  }

  void mark(Chart* chart, const LoadProbe& p, const char* style, double radius) const {
    const double top = std::numeric_limits<double>::max();
    chart->dot(load(p.rate_rps), grows(p) ? top : curve_.value(p) / unit_ms_, style, radius,
               hover(p));
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
  if (of.tests.size() + of.brief.size() < 2) return {};
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < of.slos.size(); ++i) curves.push_back(curve_of(of.slos[i], i));
  const double percentile =
      of.slos.empty() ? 99 : known_percentile(of.slos.front().percentile.value_or(99));
  for (const Latency metric : {&GroupSummary::ttft, &GroupSummary::tpot, &GroupSummary::e2e}) {
    if (std::ranges::count(of.slos, metric, &Slo::metric) == 0)
      curves.push_back(curve_of(metric, percentile));
  }
  std::string figures;
  for (const Curve& curve : curves) figures += LatencyChart(of, curve).markup() + "\n";
  return figures +
         element("p", "class=\"small marks\"", escaped(LatencyChart(of, curves.front()).key())) +
         "\n";
}

std::string time_figure(const Bottleneck& b) {
  const std::vector<BarPart> parts{
      {"waiting at the gateway", b.gateway_share, 5},
      {"waiting in a queue", b.queue_share, 4},
      {"prefill", b.prefill_share, 2},
      {"wait for decode", b.decode_wait_share + b.decode_queue_share, 7},
      {"transfer of KV blocks", b.transfer_share, 8},
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
