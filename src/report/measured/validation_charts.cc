#include "report/measured/validation.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/page.h"
#include "report/form/svg.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostHovered = 150;  // marks with a name, for the size of the page

struct Mark {
  std::string name;
  double measured_ms = 0;
  double error = 0;  // percent, as the following
  double low = 0;
  double high = 0;
  bool covered = true;
  bool has_interval = false;
};

// Means, and figures whose statistic is not stated, which are taken for means.
std::vector<Mark> marks_of(const std::vector<CaseResult>& cases, const std::string& metric) {
  std::vector<Mark> marks;
  for (const CaseResult& c : cases) {
    for (const auto& [name, result] : c.metrics) {
      if (name != metric && name != metric + ".mean" && name != "stage:" + metric + ".mean") {
        continue;
      }
      for (const ScoredFigure& one : result.comparisons) {
        if (!(one.measured > 0) || repeats_whole_run(one, c)) continue;
        const auto percent_off = [&](double ms) { return 100 * (ms / one.measured - 1); };
        marks.push_back({c.name + " " + title_of_path(one.path), one.measured,
                         percent_off(one.predicted), percent_off(one.low), percent_off(one.high),
                         one.is_covered(), !std::isnan(one.low)});
      }
    }
  }
  return marks;
}

// The axis covers most of the marks; the others are arrowheads at its edge.
double reach_of(const std::vector<Mark>& marks) {
  std::vector<double> sizes = mapped(marks, [](const Mark& m) { return std::fabs(m.error); });
  std::ranges::sort(sizes);
  constexpr double kShown = 0.95;
  constexpr double kLeast = 10;
  const auto last = static_cast<std::size_t>(kShown * static_cast<double>(sizes.size() - 1));
  const double usual = 1.4 * sizes[last];
  double reach = std::max(usual, kLeast);
  if (marks.size() <= kMostHovered) {  // few: their intervals, too, as far as they are alike
    for (const Mark& m : marks) {
      const double end = std::max(std::fabs(m.low), std::fabs(m.high));
      if (m.has_interval && end < 3 * reach) reach = std::max(reach, 1.1 * end);
    }
  }
  return reach;
}

std::string hover_of(const Mark& m) {
  std::string text = fmt::format("{}: measured {}, predicted {:+.1f} %", m.name,
                                 ms_or_s(m.measured_ms / 1e3), m.error);
  if (m.has_interval) {
    text += fmt::format("; 90 % interval {:+.1f} to {:+.1f} %{}", m.low, m.high,
                        m.covered ? "" : ", missed");
  }
  return text;
}

std::string finding_of(const std::string& name, const std::vector<Mark>& marks) {
  std::vector<double> errors = mapped(marks, &Mark::error);
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  const double median = *middle;
  return fmt::format("{} is predicted {:.1f} % too {}{}", name, std::fabs(median),
                     median > 0 ? "long" : "short", marks.size() > 1 ? " (median)" : "");
}

std::string error_chart(const std::string& name, const std::vector<Mark>& marks) {
  if (marks.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(marks, {}, &Mark::measured_ms);
  const double reach = reach_of(marks);
  constexpr double kWide = 10;
  const bool is_wide = most->measured_ms > kWide * least->measured_ms;
  Axis x{is_wide ? "measured, ms (log)" : "measured, ms", 0, 1.2 * most->measured_ms};
  if (is_wide) {
    x = {x.label, least->measured_ms / 1.5, most->measured_ms * 1.5};
    x.log = true;
  }
  const std::string finding = finding_of(name, marks);
  Chart chart(x, {"predicted - measured, %", -reach, reach}, finding);
  chart.reference_y(0, "as measured");
  const bool few = marks.size() <= kMostHovered;
  if (few) {
    for (const Mark& m : marks) {
      if (m.has_interval) chart.whisker(m.measured_ms, m.low, m.high);
    }
  }
  for (const Mark& m : marks) {
    chart.dot(m.measured_ms, m.error, m.covered || !m.has_interval ? "dot" : "fails", few ? 3.5 : 2,
              few ? hover_of(m) : "");
  }
  const auto missed =
      std::ranges::count_if(marks, [](const Mark& m) { return m.has_interval && !m.covered; });
  std::string detail = counted(std::ssize(marks), "measurement") + ".";
  if (few && std::ranges::any_of(marks, &Mark::has_interval))
    detail += " Bars: 90 % intervals of the predictions.";
  if (missed > 0)
    detail += fmt::format(" Rings in red: {} that their interval misses.", grouped(missed));
  if (std::ranges::any_of(marks, [&](const Mark& m) { return std::fabs(m.error) > reach; }))
    detail += " Arrowheads: further off than the axis goes.";
  return page_figure(finding, detail, chart.svg());
}

}  // namespace

bool repeats_whole_run(const ScoredFigure& figure, const CaseResult& of) {
  constexpr std::string_view kOnlyStage = "stages[0].";
  if (!figure.path.starts_with(kOnlyStage)) return false;
  const std::string whole = figure.path.substr(kOnlyStage.size());
  return std::ranges::any_of(of.metrics, [&](const auto& metric) {
    return std::ranges::any_of(metric.second.comparisons, [&](const ScoredFigure& other) {
      return other.path == whole && other.measured == figure.measured &&
             other.predicted == figure.predicted;
    });
  });
}

std::string title_of_path(const std::string& path) {
  for (const auto& [key, title] : {std::pair{"ttft_ms.", "TTFT"}, std::pair{"tpot_ms.", "TPOT"},
                                   std::pair{"itl_ms.", "ITL"}, std::pair{"e2e_ms.", "E2E"}}) {
    const std::size_t begin = path.find(key);
    if (begin == path.npos) continue;
    std::string before = path.substr(0, begin);
    if (!before.empty()) before.back() = ' ';
    return fmt::format("{}{} {} ms", before, title,
                       path.substr(begin + std::string_view(key).size()));
  }
  return path;
}

std::string error_figures(const std::vector<CaseResult>& cases) {
  std::string figures;
  for (const auto& [metric, name] :
       {std::pair{"ttft_ms", "Mean TTFT"}, std::pair{"tpot_ms", "Mean TPOT"},
        std::pair{"e2e_ms", "Mean E2E latency"}}) {
    figures += error_chart(name, marks_of(cases, metric));
  }
  if (figures.empty()) return {};
  return section("Predicted against measured", element("div", "class=\"charts\"", figures) + "\n");
}

}  // namespace plimsoll
