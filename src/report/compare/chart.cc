// The figure that decides a comparison, variant by variant: a bar to its mean, and the interval
// over seeds across its end. Names stand in markup, so that they keep their size on a telephone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/compare/comparison.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 22;

std::string bar(const ReplicatedMean& figure, double scale, bool is_best) {
  const auto at = [&](double value) { return std::clamp(value / scale, 0.0, 1.0) * kWidth; };
  std::string body =
      fmt::format("<rect class=\"{}\" x=\"0\" y=\"5\" width=\"{:.1f}\" height=\"12\"/>",
                  is_best ? "p1" : "p3", at(figure.mean));
  if (figure.interval) {
    body +=
        fmt::format("<path class=\"whisker\" d=\"M{0:.1f} 7v8M{0:.1f} 11H{1:.1f}M{1:.1f} 7v8\"/>",
                    at(figure.interval->low), at(figure.interval->high));
  }
  return element(
      "svg",
      fmt::format("viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" aria-hidden=\"true\"", kWidth,
                  kHeight),
      body);
}

std::string words(const std::string& name, const ReplicatedMean& figure, const Unit& unit) {
  std::string value = three_digits(figure.mean / unit.scale);
  if (figure.interval) {
    value += fmt::format(" [{}, {}]", three_digits(figure.interval->low / unit.scale),
                         three_digits(figure.interval->high / unit.scale));
  }
  return element(
      "p", "", element("span", "", escaped(name)) + element("span", "", escaped(unit.with(value))));
}

}  // namespace

std::string comparison_chart(const Comparison& c) {
  constexpr double kRoom = 1.08;
  double largest = 0;
  for (const ComparedVariant& v : c.variants) {
    if (const auto& figure = v.figures[c.leading])
      largest = std::max(largest,
                         figure->mean.interval ? figure->mean.interval->high : figure->mean.mean);
  }
  if (!(largest > 0) || !std::isfinite(largest)) return {};
  const ComparedFigure& of = compared_figure(c.leading);
  std::string rows;
  for (std::size_t i = 0; i < c.variants.size(); ++i) {
    const auto& figure = c.variants[i].figures[c.leading];
    if (!figure) continue;
    rows += element("div", "class=\"gauge\"",
                    words(c.variants[i].name, figure->mean, unit_of(of, largest)) +
                        bar(figure->mean, kRoom * largest, c.best == i)) +
            "\n";
  }
  return section(of.title, rows);
}

}  // namespace plimsoll
