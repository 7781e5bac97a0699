#include "report/answer/load_charts.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/page.h"
#include "report/form/svg.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

// What a page of ours never has more of.
constexpr std::size_t kMostPoints = 400;
constexpr std::size_t kMostLetters = 40;
constexpr std::string_view kPointAnswers[]{"holds", "fails", "unclear", "brief"};

bool is_measure(const Json& value) {
  constexpr double kMost = 1e12;
  return value.is_number() && value.as_double() >= 0 && value.as_double() < kMost;
}

bool is_end_of_axis(const Json& value) {
  constexpr double kLeast = 1e-9;
  return is_measure(value) && value.as_double() >= kLeast;
}

bool is_measure_or_null(const Json& value) { return value.is_null() || is_measure(value); }

std::optional<double> measure(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.as_double());
}

std::optional<LoadCurve::Point> read_point(const Json& json) {
  if (!json.is_array() || json.size() != 3) return std::nullopt;
  const Json& rate = *json.begin();
  const Json& value = *(json.begin() + 1);
  const std::string& answer = (json.begin() + 2)->as_string();
  if (!is_measure(rate) || !is_measure_or_null(value) ||
      std::ranges::count(kPointAnswers, answer) == 0)
    return std::nullopt;
  return LoadCurve::Point{rate.as_double(), measure(value), answer};
}

struct NamedCurve {
  const char* name;
  const char* line;  ///< its class
  const LoadCurve* curve;
};

class ComparedChart {
 public:
  explicit ComparedChart(std::vector<NamedCurve> settings) : settings_(std::move(settings)) {}

  std::string markup() const {
    constexpr double kRoom = 1.25;
    double top = 0;
    double right = 0;
    for (const NamedCurve& s : settings_) {
      top = std::max({top, s.curve->highest_ms, s.curve->limit_ms.value_or(0)});
      right = std::max(right, s.curve->highest_rps);
    }
    const LatencyUnit unit = unit_for(top);
    const Axis y{fmt::format("{}, {}", name(), unit.name), 0, kRoom * top / unit.ms};
    Chart chart({"req/s", 0, right}, y, finding());
    for (const NamedCurve& s : settings_) draw(s, unit.ms, &chart);
    limits(unit.ms, &chart);
    return page_figure(finding(), "", chart.svg());
  }

 private:
  const std::string& name() const { return settings_.front().curve->name; }

  std::string finding() const {
    std::vector<std::string> parts;
    for (const NamedCurve& s : settings_) {
      const LoadCurve::Point* answer = s.curve->answer();
      if (answer == nullptr || !answer->value_ms) continue;
      parts.push_back(fmt::format("{} {} at {} req/s", s.name, ms_or_s(*answer->value_ms / 1e3),
                                  three_digits(answer->rate_rps)));
    }
    return parts.empty() ? name() + " by short tests" : name() + ": " + join(parts, ", ");
  }

  static void draw(const NamedCurve& s, double unit_ms, Chart* chart) {
    Chart::Points line;
    for (const LoadCurve::Point& p : s.curve->points) {
      if (p.value_ms && p.rate_rps <= s.curve->highest_rps)
        line.emplace_back(p.rate_rps, *p.value_ms / unit_ms);
    }
    chart->line(line, s.line);
    for (const LoadCurve::Point& p : s.curve->points) {
      const double value = p.value_ms ? *p.value_ms / unit_ms : std::numeric_limits<double>::max();
      chart->dot(p.rate_rps, value, p.answer == "holds" ? "dot" : p.answer, 3, hover(s, p));
    }
    const LoadCurve::Point* answer = s.curve->answer();
    if (answer == nullptr || !answer->value_ms) return;
    const double value = *answer->value_ms / unit_ms;
    chart->dot(answer->rate_rps, value, "pick", 5, hover(s, *answer));
    chart->label(answer->rate_rps, value,
                 {fmt::format("{} {}", s.name, ms_or_s(*answer->value_ms / 1e3)), s.name},
                 "pick-text");
  }

  static std::string hover(const NamedCurve& s, const LoadCurve::Point& p) {
    const std::string value = p.value_ms ? ms_or_s(*p.value_ms / 1e3) : "grows";
    return fmt::format("{} at {} req/s: {}; {}", s.name, three_digits(p.rate_rps), value,
                       p.answer == "brief" ? "a short test" : p.answer);
  }

  void limits(double unit_ms, Chart* chart) const {
    std::vector<std::pair<double, std::string>> drawn;
    for (const NamedCurve& s : settings_) {
      if (!s.curve->limit_ms) continue;
      const bool is_known = !drawn.empty() && drawn.front().first == *s.curve->limit_ms;
      if (!is_known) drawn.emplace_back(*s.curve->limit_ms, s.name);
    }
    for (const auto& [limit_ms, owner] : drawn) {
      const std::string text = "limit " + ms_or_s(limit_ms / 1e3);
      chart->limit_y(limit_ms / unit_ms, drawn.size() > 1 ? text + " of " + owner : text);
    }
  }

  std::vector<NamedCurve> settings_;
};

const LoadCurve* find_curve(const std::vector<LoadCurve>& curves, const std::string& name) {
  return find_in(curves, name, &LoadCurve::name);
}

}  // namespace

const LoadCurve::Point* LoadCurve::answer() const {
  return answer_rps ? find_in(points, *answer_rps, &Point::rate_rps) : nullptr;
}

Json curve_json(const LoadCurve& curve) {
  const auto point = [](const LoadCurve::Point& p) {
    return Json::array({p.rate_rps, p.value_ms, p.answer});
  };
  return {{"name", curve.name},
          {"limit_ms", curve.limit_ms},
          {"answer_rps", curve.answer_rps},
          {"highest_rps", curve.highest_rps},
          {"highest_ms", curve.highest_ms},
          {"points", Json::array_of(curve.points, point)}};
}

std::optional<LoadCurve> read_curve(const Json& json) {
  const Json& points = json["points"];
  LoadCurve curve;
  curve.name = json["name"].as_string();
  const bool has_form = !curve.name.empty() && curve.name.size() <= kMostLetters &&
                        points.is_array() && points.size() <= kMostPoints &&
                        is_end_of_axis(json["highest_rps"]) && is_end_of_axis(json["highest_ms"]) &&
                        is_measure_or_null(json["limit_ms"]) &&
                        is_measure_or_null(json["answer_rps"]);
  if (!has_form) return std::nullopt;
  curve.limit_ms = measure(json["limit_ms"]);
  curve.answer_rps = measure(json["answer_rps"]);
  curve.highest_rps = json["highest_rps"].as_double();
  curve.highest_ms = json["highest_ms"].as_double();
  for (const Json& element : points) {
    const auto point = read_point(element);
    if (!point) return std::nullopt;
    curve.points.push_back(*point);
  }
  return curve;
}

std::string compared_figures(const std::vector<LoadCurve>& a, const std::vector<LoadCurve>& b) {
  std::string figures;
  for (const LoadCurve& curve : a) {
    std::vector<NamedCurve> settings{{"A", "main", &curve}};
    if (const LoadCurve* other = find_curve(b, curve.name))
      settings.push_back({"B", "second", other});
    figures += ComparedChart(settings).markup();
  }
  for (const LoadCurve& curve : b) {
    if (find_curve(a, curve.name) == nullptr)
      figures += ComparedChart({{"B", "second", &curve}}).markup();
  }
  return figures;
}

}  // namespace plimsoll
