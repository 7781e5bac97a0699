#include "report/form/svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/text.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

// In units of the picture: about a pixel on a telephone.
constexpr double kWidth = 360;
constexpr double kHeight = 230;
constexpr double kLeft = 46;
constexpr double kRight = 350;
constexpr double kTop = 22;
constexpr double kBottom = 196;

double at(const Axis& axis, double value, double from, double to) {
  const double share =
      axis.log ? std::log(std::max(value, axis.low) / axis.low) / std::log(axis.high / axis.low)
               : (value - axis.low) / (axis.high - axis.low);
  return from + std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * (to - from);
}

// 1,500 but 0.25: ticks are round.
std::string tick_text(double value) {
  const double rounded = std::round(value);
  return std::fabs(value - rounded) < 1e-9 && std::fabs(value) < 1e15
             ? grouped(static_cast<std::int64_t>(rounded))
             : three_digits(value);
}

std::string month_and_day(double days_since_1970) {
  constexpr double kSecondsPerDay = 86'400;
  return iso_time(kSecondsPerDay * days_since_1970).substr(5, 5);
}

std::vector<double> log_ticks(const Axis& axis, int about) {
  const double decades = std::log10(axis.high / axis.low);
  const std::vector<double> steps =
      3 * decades <= about ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  std::vector<double> values;
  for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high;
       power *= 10) {
    for (const double step : steps) {
      const double value = step * power;
      if (value >= axis.low * (1 - 1e-9) && value <= axis.high * (1 + 1e-9))
        values.push_back(value);
    }
  }
  return values;
}

// Every one, every second, every third ...
std::vector<double> named_ticks(const Axis& axis) {
  double longest = drawn_width("0");
  for (const std::string& name : axis.names) longest = std::max(longest, drawn_width(name));
  constexpr double kBetween = 8;
  const double room = (kRight - kLeft) / (axis.high - axis.low);
  const auto every = static_cast<std::size_t>(std::ceil((longest + kBetween) / room));
  std::vector<double> values;
  for (std::size_t i = 0; i < axis.names.size(); i += every)
    values.push_back(static_cast<double>(i));
  return values;
}

// Of a level line: over it and under it, at the end that is preferred, then at the other.
std::vector<ChartLabels::Spot> spots_along(double y, double preferred, double other) {
  return {{preferred, y - 4}, {preferred, y + 13}, {other, y - 4}, {other, y + 13}};
}

}  // namespace

std::vector<double> ticks(const Axis& axis, int about) {
  if (!axis.names.empty()) return named_ticks(axis);
  const double span = axis.high - axis.low;
  if (!(span > 0) || !std::isfinite(span)) return {axis.low};
  if (axis.log) return log_ticks(axis, about);
  const double power = std::pow(10, std::floor(std::log10(span / about)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (span / (factor * power) <= about + 0.5) {
      step = factor * power;
      break;
    }
  }
  if (axis.whole || axis.dates) step = std::max(1.0, std::ceil(step));
  std::vector<double> values;
  for (double i = std::ceil(axis.low / step - 1e-9); i * step <= axis.high + 1e-9 * step; ++i) {
    values.push_back(i * step);
  }
  return values;
}

std::string bar_svg(const std::vector<BarPart>& parts, std::string_view alternative) {
  constexpr double kBar = 720;
  std::string body;
  double until = 0;
  for (const BarPart& part : parts) {
    const double from = until;
    until = std::min(1.0, until + part.share);
    if (part.share <= 0) continue;
    body += fmt::format(
        "<rect class=\"p{}\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"18\"><title>{} "
        "{}</title></rect>",
        part.shade, kBar * from, kBar * (until - from), escaped(part.name),
        escaped(percent(part.share)));
  }
  return fmt::format(
      "<svg class=\"bar\" viewBox=\"0 0 {} 18\" role=\"img\" aria-label=\"{}\" "
      "preserveAspectRatio=\"none\">{}</svg>\n",
      kBar, escaped(alternative), body);
}

Chart::Chart(Axis x, Axis y, std::string_view alternative)
    : x_(std::move(x)),
      y_(std::move(y)),
      alternative_(alternative),
      labels_({kLeft, 14, kRight + 8, kBottom}) {
  axes();
}

double Chart::at_x(double x) const { return at(x_, x, kLeft, kRight); }
double Chart::at_y(double y) const { return at(y_, y, kBottom, kTop); }

void Chart::axes() {
  for (const double y : ticks(y_, 5)) {
    body_ +=
        fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, at_y(y), kRight);
    text(kLeft - 5, at_y(y) + 4, "end", "dim", tick_text(y));
  }
  for (const double x : ticks(x_, 6)) {
    body_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v4\"/>", at_x(x), kBottom);
    const std::string words = !x_.names.empty() ? x_.names[static_cast<std::size_t>(x)]
                              : x_.dates        ? month_and_day(x)
                                                : tick_text(x);
    const bool fits = at_x(x) + drawn_width(words) / 2 < kWidth;
    text(fits ? at_x(x) : kWidth, kBottom + 16, fits ? "middle" : "end", "dim", words);
  }
  text(4, 12, "start", "dim", y_.label);
  text(kRight, kHeight - 3, "end", "dim", x_.label);
}

void Chart::text(double px, double py, std::string_view anchor, std::string_view style,
                 std::string_view text) {
  axes_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>",
                       style, px, py, anchor, escaped(text));
}

void Chart::line(const Points& points, std::string_view style, bool steps) {
  std::string path;
  for (std::size_t i = 1; i < points.size(); ++i) {  // labels keep clear of them
    const Segment line{at_x(points[i - 1].first), at_y(points[i - 1].second), at_x(points[i].first),
                       at_y(points[i].second)};
    if (steps) {
      labels_.avoid(Segment{line.x1, line.y1, line.x2, line.y1});
      labels_.avoid(Segment{line.x2, line.y1, line.x2, line.y2});
    } else {
      labels_.avoid(line);
    }
  }
  for (const auto& [x, y] : points) {
    if (path.empty()) {
      path = fmt::format("M{:.1f} {:.1f}", at_x(x), at_y(y));
    } else {
      path += steps ? fmt::format("H{:.1f}V{:.1f}", at_x(x), at_y(y))
                    : fmt::format("L{:.1f} {:.1f}", at_x(x), at_y(y));
    }
  }
  if (!path.empty()) body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path);
}

void Chart::band(const Points& lower, const Points& upper) {
  if (lower.size() < 2) return;
  std::string path = "M";
  for (const auto& [x, y] : lower) path += fmt::format("{:.1f} {:.1f} ", at_x(x), at_y(y));
  for (auto p = upper.rbegin(); p != upper.rend(); ++p) {
    path += fmt::format("{:.1f} {:.1f} ", at_x(p->first), at_y(p->second));
  }
  body_ += fmt::format("<path class=\"band\" d=\"{}Z\"/>", path);
}

void Chart::region(double from, double to, std::string_view style, std::string_view label) {
  const double left = at_x(from);
  const double right = at_x(to);
  body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}Z\"/>", style,
                       left, kTop, right, kBottom, left);
  // Within it, else beside it where there is room; at its foot, else at its head.
  const double width = drawn_width(label);
  const double begin = right - left > width     ? left + 3
                       : right + width < kRight ? right + 3
                                                : left - 3 - width;
  labels_.add(std::string(label), style == "beyond" ? "limit-text" : "dim",
              {{begin, kBottom - 5}, {begin, kTop + 12}, {begin, (kTop + kBottom) / 2}});
}

void Chart::stretch(double from, double to, std::string_view label) {
  const double left = at_x(from);
  const double right = at_x(to);
  body_ +=
      fmt::format("<path class=\"window\" d=\"M{:.1f} {:.1f}v5M{:.1f} {:.1f}H{:.1f}m0 -2.5v5\"/>",
                  left, kTop - 2.5, left, kTop, right);
  labels_.avoid(Segment{left, kTop, right, kTop});
  const double middle = std::max(left, (left + right - drawn_width(label)) / 2);
  labels_.add(std::string(label), "dim", {{middle, kTop + 13}, {middle, kTop - 5}});
}

void Chart::bar(double x, double width, double y, std::string_view hover) {
  const double left = at_x(x - width / 2);
  const double top = at_y(y);
  body_ += fmt::format(
      "<rect class=\"p1\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>",
      left, top, std::max(0.5, at_x(x + width / 2) - left - 1), kBottom - top,
      hover.empty() ? "" : element("title", "", escaped(hover)));
  labels_.avoid(Box{left, top, at_x(x + width / 2), kBottom});
}

void Chart::whisker(double x, double low, double high) {
  labels_.avoid(Segment{at_x(x), at_y(low), at_x(x), at_y(high)});
  body_ += fmt::format("<path class=\"other\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", at_x(x), at_y(low),
                       at_y(high));
}

void Chart::dot(double x, double y, std::string_view style, double radius, std::string_view hover) {
  const double px = at_x(x);
  const double py = at_y(y);
  const std::string title = hover.empty() ? "" : element("title", "", escaped(hover));
  if (x > x_.high) {
    body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}v{}l{} {}Z\">{}</path>", style,
                         px - radius, py - radius, 2 * radius, 1.5 * radius, -radius, title);
  } else if (y > y_.high || y < y_.low) {
    const double point = y > y_.high ? -1.5 * radius : 1.5 * radius;
    body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h{}l{} {}Z\">{}</path>", style,
                         px - radius, py - point / 2, 2 * radius, -radius, point, title);
  } else if (style == "fails") {  // crosses and lozenges tell themselves apart without a colour
    body_ += fmt::format("<path class=\"fails\" d=\"M{:.1f} {:.1f}l{} {}m0 {}l{} {}\">{}</path>",
                         px - radius, py - radius, 2 * radius, 2 * radius, -2 * radius, -2 * radius,
                         2 * radius, title);
  } else if (style == "unclear") {
    const double r = 1.3 * radius;
    body_ +=
        fmt::format("<path class=\"unclear\" d=\"M{:.1f} {:.1f}l{} {}l{} {}l{} {}Z\">{}</path>",
                    px - r, py, r, -r, r, r, -r, r, title);
  } else {
    body_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\">{}</circle>",
                         style, px, py, radius, title);
  }
  labels_.avoid(Box{px - radius, py - radius, px + radius, py + radius});
}

void Chart::limit_y(double y, std::string_view label) {
  const double py = at_y(y);
  body_ += fmt::format("<path class=\"limit\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, py, kRight);
  labels_.avoid(Segment{kLeft, py, kRight, py});
  labels_.add(std::string(label), "limit-text",
              spots_along(py, kLeft + 4, kRight - drawn_width(label)));
}

void Chart::reference_y(double y, std::string_view label) {
  const double py = at_y(y);
  body_ +=
      fmt::format("<path class=\"reference\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, py, kRight);
  labels_.avoid(Segment{kLeft, py, kRight, py});
  labels_.add(std::string(label), "dim", spots_along(py, kRight - drawn_width(label), kLeft + 4));
}

void Chart::limit_x(double x, std::string_view label) {
  const double px = at_x(x);
  body_ += fmt::format("<path class=\"limit\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", px, kBottom, kTop);
  labels_.avoid(Segment{px, kBottom, px, kTop});
  const double left = px - 4 - drawn_width(label);
  labels_.add(std::string(label), "limit-text",
              {{left, kTop + 10}, {px + 4, kTop + 10}, {left, kBottom - 5}, {px + 4, kBottom - 5}});
}

void Chart::label(double x, double y, std::vector<std::string> texts, std::string_view style) {
  labels_.add(at_x(x), at_y(y), std::move(texts), style);
}

std::string Chart::svg() const {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}<path class=\"axis\" "
      "d=\"M{} {}V{}H{}\"/>{}{}</svg>\n",
      kWidth, kHeight, escaped(alternative_), body_, kLeft, kTop, kBottom, kRight, axes_,
      labels_.markup());
}

}  // namespace plimsoll
