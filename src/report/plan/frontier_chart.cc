#include "report/plan/page.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/words.h"
#include "report/form/page.h"
#include "report/form/svg.h"
#include "report/plan/figures.h"
#include "report/plan/points.h"

namespace plimsoll {
namespace {

// The largest, but for few that would squeeze all others; at least `needed`.
double end_of_scale(std::vector<double> values, double needed) {
  constexpr double kFar = 3;        // times as much as the next
  constexpr std::size_t kPart = 5;  // one in so many may be left out
  std::ranges::sort(values);
  const std::size_t few = std::max<std::size_t>(1, values.size() / kPart);
  for (std::size_t i = values.size() - std::min(few, values.size() - 1); i < values.size(); ++i) {
    if (i >= 2 && values[i] > kFar * values[i - 1]) return std::max(values[i - 1], needed);
  }
  return std::max(values.back(), needed);
}

class FrontierChart {
 public:
  FrontierChart(const PlanReport& report, const CandidateResult& best)
      : report_(report), plan_(report.plan), points_(report), best_(best) {}

  std::string markup() {
    Axis x{priced() ? "$ per hour" : "GPUs", 0, 0, !priced()};
    Axis y{points_.value_name() + (points_.by_latency() ? ", ms" : ""), 0, 0};
    std::vector<double> costs;
    std::vector<double> values;
    for (const CandidateResult& r : plan_.candidates) {
      if (!is_shown(r)) continue;
      costs.push_back(cost(r));
      values.push_back(value(r));
    }
    x.high = end_of_scale(costs, cost(best_));
    y.high = end_of_scale(values, value(best_));
    const double dearest = *std::ranges::max_element(costs);
    is_cut_ = x.high < dearest || y.high < *std::ranges::max_element(values);
    const auto& budget = report_.request.max_usd_per_hour;
    constexpr double kNear = 2;  // a limit further away would squeeze everything else
    const bool budget_drawn = priced() && budget && *budget <= kNear * x.high;
    if (budget_drawn) x.high = std::max(x.high, *budget);
    x.high *= 1.15;
    y.high *= 1.15;
    Chart chart(x, y, finding());
    if (budget_drawn) chart.limit_x(*budget, fmt::format("budget ${}", three_digits(*budget)));
    if (!points_.by_latency() && report_.request.min_rps > 0) {
      chart.limit_y(report_.request.min_rps,
                    fmt::format("minimum {} req/s", three_digits(report_.request.min_rps)));
    }
    points(&chart);
    return page_figure(finding(), detail(budget && !budget_drawn), chart.svg());
  }

 private:
  bool priced() const { return points_.priced(); }
  double cost(const CandidateResult& r) const { return points_.cost(r); }
  double value(const CandidateResult& r) const { return points_.value(r); }
  static bool is_shown(const CandidateResult& r) { return PlanPoints::is_shown(r); }

  std::string value_text(const CandidateResult& r) const {
    return points_.by_latency()
               ? fmt::format("{} {} ms", points_.value_name(), three_digits(value(r)))
               : fmt::format("{}{} req/s", mark_of(bounds(r).rate), three_digits(value(r)));
  }
  std::string cost_text(const CandidateResult& r) const {
    return priced() ? std::string(mark_of(bounds(r).usd)) + hourly_dollars(cost(r))
                    : short_name(r.candidate);
  }
  FigureBounds bounds(const CandidateResult& r) const {
    return bounds_of(report_.request, Alternative{&r});
  }

  std::string finding() const {
    std::string text = fmt::format("{} buys {}", cost_text(best_), value_text(best_));
    const auto dearer = std::ranges::find_if(
        plan_.frontier, [&](std::size_t i) { return cost(plan_.candidates[i]) > cost(best_); });
    if (dearer == plan_.frontier.end()) return text;
    const CandidateResult& next = plan_.candidates[*dearer];
    return text + fmt::format("; the next step, {}, {}", cost_text(next), value_text(next));
  }

  std::string detail(bool far_budget) const {
    const auto unproven = std::ranges::count_if(plan_.candidates, [](const CandidateResult& r) {
      return r.fate == Fate::dominated && !is_shown(r);
    });
    std::string text =
        "Line: the frontier. Faint: holds, but costs more. Cross: a limit is broken.";
    if (is_cut_) text += " Arrowhead: off the scale.";
    if (unproven > 0) {
      text += fmt::format(" Not drawn: {} that another beats in any case.",
                          counted(unproven, "candidate"));
    }
    if (far_budget) {
      text += fmt::format(" The budget, ${}/h, is far to the right.",
                          three_digits(*report_.request.max_usd_per_hour));
    }
    return text;
  }

  void points(Chart* chart) const {
    Chart::Points frontier;
    for (const std::size_t i : plan_.frontier) {
      frontier.emplace_back(cost(plan_.candidates[i]), value(plan_.candidates[i]));
    }
    chart->line(frontier, "other", true);
    for (const CandidateResult& r : plan_.candidates) {
      if (!is_shown(r) || points_.is_on_frontier(r) || &r == &best_) continue;
      const bool beaten = r.fate == Fate::feasible || r.fate == Fate::dominated;
      chart->dot(cost(r), value(r), beaten ? "faint" : "fails", 3, hover(r));
    }
    for (const std::size_t i : plan_.frontier) {
      const CandidateResult& r = plan_.candidates[i];
      if (&r != &best_) chart->dot(cost(r), value(r), "dot", 4, hover(r));
    }
    chart->dot(cost(best_), value(best_), "pick", 6, hover(best_));
    const std::string name = short_name(best_.candidate);
    chart->label(cost(best_), value(best_), {name + ", the pick", name, "the pick"}, "pick-text");
    std::set<std::string> named{name};  // a second mark of the same name would tell nothing
    for (const std::size_t i : plan_.frontier) {
      const CandidateResult& r = plan_.candidates[i];
      if (named.insert(short_name(r.candidate)).second)
        chart->label(cost(r), value(r), {short_name(r.candidate)}, "");
    }
    constexpr auto kFew = 10;
    if (std::ranges::count_if(plan_.candidates, is_shown) > kFew) return;
    for (const CandidateResult& r : plan_.candidates) {
      if (!is_shown(r) || points_.is_on_frontier(r) || &r == &best_) continue;
      if (named.insert(short_name(r.candidate)).second)
        chart->label(cost(r), value(r), {short_name(r.candidate)}, "dim");
    }
  }

  std::string hover(const CandidateResult& r) const {
    std::string text =
        fmt::format("{}: {}, {}", describe(r.candidate), cost_text(r), value_text(r));
    const std::string why = fate_text(report_, r);
    return why.empty() ? text : text + "; " + why;
  }

  const PlanReport& report_;
  const Plan& plan_;
  PlanPoints points_;
  const CandidateResult& best_;
  bool is_cut_ = false;  ///< some lie beyond the scale
};

}  // namespace

std::string frontier_figure(const PlanReport& report) {
  const CandidateResult* best = report.best();
  if (best == nullptr || !best->at_good) return {};
  return FrontierChart(report, *best).markup();
}

}  // namespace plimsoll
