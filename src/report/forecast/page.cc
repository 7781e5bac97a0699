// The parts of a forecast's page that the text lacks: figures in large type, the limits and
// latencies of the peak, the assumptions, and headroom as gauges. These are text in markup, so that
// they keep their size on a telephone, and bars that are as wide as the page.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/answer/choices.h"
#include "report/answer/words.h"
#include "report/forecast/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

// The GPUs to order; where that is for a loss, also those that the demand alone takes.
std::string order_tiles(const ForecastReport& r, const GpuPlan& plan) {
  std::string text;
  const auto add = [&](const std::string& prefix, std::int64_t gpus,
                       const std::optional<double>& usd, const std::string& what) {
    text += tile(prefix + "add_gpus", static_cast<double>(gpus), counted(gpus, "GPU"), what);
    if (usd)
      text += tile(prefix + "add_usd_per_month", *usd, "$" + amount_text(*usd),
                   fmt::format("per month for {}", counted(gpus, "GPU")));
  };
  const std::optional<GpuOrder> order = gpus_to_order(r);
  const bool is_for_loss = order && order->survives;
  if (is_for_loss)
    add("order.", order->gpus, order->usd_per_month,
        "to order, to survive the loss of " + name_of(*order->survives));
  add("", plan.add_gpus, plan.add_usd_per_month,
      fmt::format("{} ({})", is_for_loss ? "of them for the demand alone" : "to add",
                  plan.covers_error() ? confidence_text() : std::string(kNeverSure)));
  return text;
}

// Latencies are left out while the queue grows: they would only say how long the test was.
std::string latency_table(const LoadProbe& probe) {
  const GroupSummary& c = probe.summary.cluster;
  PageTable table("Latencies of that run", {"latency", "mean", "p95", "p99"});
  const auto add = [&](const char* title, const char* key, const LatencySummary& l) {
    const auto cell = [&](double ms, const char* statistic) {
      return PageTable::Cell{probe.state.grows() ? "grows" : ms_or_s(ms / 1e3), ms,
                             fmt::format("peak.{}.{}", key, statistic)};
    };
    table.add({{title}, cell(l.mean_ms, "mean"), cell(l.p95_ms, "p95"), cell(l.p99_ms, "p99")});
  };
  add("TTFT", "ttft_ms", c.ttft);
  add("TPOT", "tpot_ms", c.tpot);
  add("E2E", "e2e_ms", c.e2e);
  return table.markup();
}

// ---- gauges

constexpr double kGaugeWidth = 720;
constexpr double kGaugeHeight = 22;
constexpr double kLeastScale = 1.15;  // of the capacity; there is room beyond its line
constexpr double kMostScale = 2.5;    // what is more ends at the edge

bool has_gauge(const SheetRow& row) {
  return row.capacity && *row.capacity > 0 && row.utilisation().has_value();
}

// All gauges of a page have one, so that their load lines stand one below the other.
double scale_of(const ForecastReport& r) {
  double most = kLeastScale;
  for (const SheetRow& row : r.headroom.rows) {
    if (!has_gauge(row)) continue;
    most = std::max(most, 1.05 * *row.utilisation());
    if (row.forecast_band) most = std::max(most, 1.05 * row.forecast_band->high / *row.capacity);
  }
  return std::min(most, kMostScale);
}

class Gauge {
 public:
  Gauge(const SheetRow& row, double scale) : row_(row), scale_(scale) {}

  std::string markup() {
    const double used = *row_.utilisation();
    if (row_.baseline_p95) bar("p3", 0, *row_.baseline_p95 / *row_.capacity, 2, 5);
    bar("p1", 0, std::min(used, 1.0), 9, 11);
    bar("over", 1, used, 9, 11);
    if (const auto& band = row_.forecast_band) whisker(*band);
    path("limit", fmt::format("M{0:.1f} 0V{1}", at(1), kGaugeHeight));
    return element("div", "class=\"gauge\"", words() + picture()) + "\n";
  }

 private:
  double at(double share) const { return std::clamp(share / scale_, 0.0, 1.0) * kGaugeWidth; }

  void bar(std::string_view style, double from, double to, double top, double height) {
    if (to <= from) return;
    body_ +=
        fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>",
                    style, at(from), top, at(to) - at(from), height);
  }

  void path(std::string_view style, const std::string& way) {
    body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, way);
  }

  void whisker(const Interval& band) {
    const double low = at(band.low / *row_.capacity);
    const double high = at(band.high / *row_.capacity);
    path("whisker", fmt::format("M{0:.1f} 11v7M{0:.1f} 14.5H{1:.1f}M{1:.1f} 11v7", low, high));
  }

  std::string words() const {
    const Risk risk = *row_.risk();
    const std::string asked = row_.forecast_band
                                  ? fmt::format("{} [{}, {}]", amount_text(*row_.forecast_p95),
                                                amount_text(row_.forecast_band->low),
                                                amount_text(row_.forecast_band->high))
                                  : amount_text(*row_.forecast_p95);
    const std::string title = element("span", "", escaped(facts_of(row_.resource).title));
    const std::string figures = escaped(fmt::format(
        "{} of {}: {}, ", asked, amount_text(*row_.capacity), share_text(*row_.utilisation())));
    const std::string_view mood = mood_class(mood_of(risk));
    const std::string name =
        element("b", mood.empty() ? "" : fmt::format("class=\"{}\"", mood), name_of(risk));
    return element("p", "", title + element("span", "", figures + name));
  }

  std::string picture() const {
    return fmt::format(
        "<svg class=\"bar\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} of the capacity\" "
        "preserveAspectRatio=\"none\">{}</svg>",
        kGaugeWidth, kGaugeHeight, escaped(share_text(*row_.utilisation())), body_);
  }

  const SheetRow& row_;
  double scale_;
  std::string body_;
};

std::string finding(const ForecastReport& r) {
  std::vector<Resource> beyond;
  for (const SheetRow& row : r.headroom.rows) {
    if (has_gauge(row) && *row.utilisation() > 1) beyond.push_back(row.resource);
  }
  // The resource that the decision names comes first.
  std::stable_partition(beyond.begin(), beyond.end(),
                        [&](Resource resource) { return resource == r.headroom.binding; });
  if (!beyond.empty()) return "The forecast p95 exceeds capacity: " + titles_of(beyond);
  for (const SheetRow& row : r.headroom.rows) {
    if (has_gauge(row) && row.forecast_band && row.forecast_band->high > *row.capacity)
      beyond.push_back(row.resource);
  }
  const std::string below = "The forecast p95 of every resource stays below capacity";
  if (!beyond.empty()) return below + "; the high end does not: " + titles_of(beyond);
  const auto& peak = r.headroom.forecast;
  const auto refused = peak ? refused_share(*peak) : std::nullopt;
  return refused
             ? below + ", but " + percent(*refused) + " of the requests exceed the context window"
             : below;
}

}  // namespace

std::string forecast_tiles(const ForecastReport& r) {
  std::string text;
  for (const SheetRow& row : r.headroom.rows) {
    if (row.resource != r.headroom.binding) continue;
    text += tile("utilisation", *row.utilisation(), share_text(*row.utilisation()),
                 fmt::format("of {} used", facts_of(row.resource).title));
  }
  if (const auto& peak = r.headroom.forecast) {
    const double held = peak->line.is_known ? peak->line.factor : std::nan("");
    text += tile("held_factor", held, held_text(peak), "of the forecast peak is handled");
  }
  if (r.runway && !r.runway->gpu_plan.steps.empty()) {
    text += order_tiles(r, r.runway->gpu_plan);
  }
  return tiles(text);
}

std::string peak_tables(const ForecastReport& r, const PeakCheck& peak) {
  return limits_table(peak.probe, r.request.slos) + latency_table(peak.probe);
}

std::string forecast_foundations(const ForecastReport& r) {
  const ForecastRequest& q = r.request;
  std::vector<std::string> lines;
  const std::vector<std::string> slos =
      mapped(q.slos, [](const Slo& slo) { return title_of(slo); });
  lines.push_back(slos.empty() ? "no limit on latency: the queue must not grow"
                               : "limits: " + join(slos, ", "));
  lines.push_back(
      fmt::format("lengths: lognormal, coefficient of variation {}; arrivals: {}; seed {}",
                  three_digits(q.load.length_cv),
                  q.load.arrival.process == ArrivalProcess::gamma
                      ? "gamma, coefficient of variation " + three_digits(q.load.arrival.cv)
                      : "Poisson",
                  q.load.seed));
  lines.push_back(fmt::format("mean load of a month: {} of the peak", percent(q.mean_load)));
  lines.push_back(q.band ? fmt::format("band: {} to {} times the requests of the forecast",
                                       three_digits(q.band->low), three_digits(q.band->high))
                         : "band: none given, so the forecast is a single value");
  if (!q.history.path.empty()) lines.push_back("history: " + q.history.path);
  if (r.runway && r.runway->dated)
    lines.push_back("days and orders are counted from " + moment_text(*r.runway, r.runway->now_s));
  lines.push_back("forecast: " + q.file);
  return bullets(lines);
}

std::string headroom_gauges(const ForecastReport& r) {
  const double scale = scale_of(r);
  std::string gauges;
  for (const SheetRow& row : r.headroom.rows) {
    if (has_gauge(row)) gauges += Gauge(row, scale).markup();
  }
  if (gauges.empty()) return {};
  const bool any_band = std::ranges::any_of(
      r.headroom.rows, [](const SheetRow& row) { return row.forecast_band.has_value(); });
  return page_figure(finding(r),
                     std::string("Thick: forecast p95") + (any_band ? " with its band" : "") +
                         ". Thin: baseline p95. Dashed: capacity.",
                     gauges);
}

}  // namespace plimsoll
