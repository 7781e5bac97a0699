// Headroom as gauges: text in markup, so that it keeps its size on a telephone, and bars that are
// as wide as the page.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/forecast/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

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
  // As the decision names them.
  std::ranges::stable_partition(beyond,
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
