#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/page.h"
#include "report/form/svg.h"
#include "report/run/sections.h"

namespace plimsoll {
namespace {

// In the order of LatenciesOverTime::compared_s.
constexpr std::array kOfWork{"middle third", "last quarter"};
constexpr std::array kOfDelays{"first fifth", "last fifth"};

using LatencyOf = LatencySummary LatencyStretch::*;

std::string course_finding(const std::string& name, const LatenciesOverTime& course,
                           LatencyOf latency) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const LatencyStretch& s : course.stretches) {
    if (s.end_s <= course.warmup_s) continue;
    low = std::min(low, (s.*latency).p99_ms);
    high = std::max(high, (s.*latency).p99_ms);
  }
  if (low > high) return name + " over time";
  return fmt::format("{} p99 moves between {} and {}", name, ms_or_s(low / 1e3),
                     ms_or_s(high / 1e3));
}

std::string course_figure(const std::string& name, const LatenciesOverTime& course,
                          SteadyVerdict verdict, LatencyOf latency) {
  double top_ms = 0;
  for (const LatencyStretch& s : course.stretches) top_ms = std::max(top_ms, (s.*latency).p99_ms);
  if (top_ms <= 0) return {};
  const LatencyUnit unit = unit_for(top_ms);
  constexpr double kRoom = 1.15;
  Chart chart({"s after the start", course.first_arrival_s, course.last_arrival_s},
              {fmt::format("{}, {}", name, unit.name), 0, kRoom * top_ms / unit.ms},
              course_finding(name, course, latency));
  if (verdict == SteadyVerdict::steady && course.warmup_s > course.first_arrival_s)
    chart.region(course.first_arrival_s, course.warmup_s, "apart", "warm-up");
  for (std::size_t i = 0; i < course.compared_s.size(); ++i) {
    const auto& [begin_s, end_s] = course.compared_s[i];
    chart.stretch(begin_s, end_s, (course.compares_delays ? kOfDelays : kOfWork)[i]);
  }
  Chart::Points medians;
  Chart::Points tails;
  for (const LatencyStretch& s : course.stretches) {
    const double middle_s = (s.begin_s + s.end_s) / 2;
    medians.emplace_back(middle_s, (s.*latency).p50_ms / unit.ms);
    tails.emplace_back(middle_s, (s.*latency).p99_ms / unit.ms);
  }
  chart.line(medians, "other");
  chart.line(tails, "main");
  for (std::size_t i = 0; i < course.stretches.size(); ++i) {
    const LatencyStretch& s = course.stretches[i];
    chart.dot(
        tails[i].first, tails[i].second, "dot", 2.5,
        fmt::format("{} to {} s: p50 {}, p99 {}", three_digits(s.begin_s), three_digits(s.end_s),
                    ms_or_s((s.*latency).p50_ms / 1e3), ms_or_s((s.*latency).p99_ms / 1e3)));
  }
  return page_figure(
      course_finding(name, course, latency),
      fmt::format("Bold: p99 of the requests that arrive in each {} s. Thin: their median.{}",
                  three_digits(course.width_s),
                  course.compared_s.empty() ? "" : " Bars at the top: what the verdict compares."),
      chart.svg());
}

// What the verdict on steadiness looked at.
std::string judged_text(const LatenciesOverTime& course, SteadyVerdict verdict) {
  if (verdict != SteadyVerdict::steady) {
    return fmt::format("The verdict is about all arrivals, from {} to {} s.",
                       three_digits(course.first_arrival_s), three_digits(course.last_arrival_s));
  }
  return fmt::format(
      "The verdict is steady unless the backlog stays higher in the last quarter than "
      "it was on average in the middle third, or its level wanders after the warm-up. The "
      "intervals are about {} to {} s, after the warm-up; the table above is about all requests "
      "unless --warmup leaves some out.",
      three_digits(course.warmup_s), three_digits(course.last_arrival_s));
}

}  // namespace

void add_over_time(const Summary& summary, TextReport* out) {
  if (!summary.over_time || summary.over_time->stretches.empty()) return;
  const LatenciesOverTime& course = *summary.over_time;
  const SteadyVerdict verdict = summary.steady_state.verdict;
  out->figures([&] {
    const std::string charts = course_figure("TTFT", course, verdict, &LatencyStretch::ttft) +
                               course_figure("TPOT", course, verdict, &LatencyStretch::tpot);
    return section("Over time",
                   element("div", "class=\"charts\"", charts) + "\n" +
                       element("p", "class=\"small\"", escaped(judged_text(course, verdict))) +
                       "\n");
  });
}

}  // namespace plimsoll
