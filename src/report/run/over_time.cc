#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/page.h"
#include "report/form/svg.h"
#include "report/run/terminal.h"

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

constexpr double kAbove = 1.15;  // of the highest bar

std::string arrivals_figure(const WorkloadShape& s) {
  if (s.mean_rps <= 0 || s.requests_over_time.size() < 2) return {};
  const auto width_s = static_cast<double>(s.bucket_s);
  constexpr double kLong = 2 * 3600;
  const double unit_s = s.last_arrival_s > kLong ? 3600 : s.last_arrival_s > 300 ? 60 : 1;
  const std::string unit = unit_s == 3600 ? "h" : unit_s == 60 ? "min" : "s";
  const auto most = static_cast<double>(*std::ranges::max_element(s.requests_over_time)) / width_s;
  const std::string finding =
      fmt::format("{} req/s on average, {} in the busiest {}", three_digits(s.mean_rps),
                  three_digits(most), ms_or_s(width_s));
  const double end = width_s * static_cast<double>(s.requests_over_time.size()) / unit_s;
  Chart chart({unit + " after the start", 0, end}, {"req/s", 0, kAbove * most}, finding);
  for (std::size_t i = 0; i < s.requests_over_time.size(); ++i) {
    const double rps = static_cast<double>(s.requests_over_time[i]) / width_s;
    const double begin = width_s * static_cast<double>(i) / unit_s;
    chart.bar(begin + width_s / unit_s / 2, width_s / unit_s, rps,
              fmt::format("{} to {} {}: {} req/s", three_digits(begin),
                          three_digits(begin + width_s / unit_s), unit, three_digits(rps)));
  }
  chart.reference_y(s.mean_rps, "mean");
  return page_figure(finding, "Requests by the time of their arrival. The last bar may be cut.",
                     chart.svg());
}

std::string lengths_figure(const std::string& what, const LengthShape& l, std::int64_t requests) {
  if (l.histogram.size() < 2) return {};
  double most = 0;
  Axis x{what + " tokens, from", -0.5, static_cast<double>(l.histogram.size()) - 0.5};
  for (const HistogramBin& bin : l.histogram) {
    most = std::max(most, static_cast<double>(bin.count));
    x.names.push_back(grouped(bin.low));
  }
  const double percent_of_one = 100 / static_cast<double>(std::max<std::int64_t>(1, requests));
  const std::string finding =
      fmt::format("{} of {} tokens on average, p99 {}", what == "prompt" ? "Prompts" : "Answers",
                  three_digits(l.mean), three_digits(l.p99));
  Chart chart(x, {"% of requests", 0, kAbove * most * percent_of_one}, finding);
  for (std::size_t i = 0; i < l.histogram.size(); ++i) {
    const HistogramBin& bin = l.histogram[i];
    const double share = static_cast<double>(bin.count) * percent_of_one;
    chart.bar(static_cast<double>(i), 1, share,
              fmt::format("{} to {} tokens: {} requests, {} %", grouped(bin.low), grouped(bin.high),
                          grouped(bin.count), three_digits(share)));
  }
  return page_figure(finding, "", chart.svg());
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

std::string shape_figures(const WorkloadShape& s) {
  const std::string charts = arrivals_figure(s) + lengths_figure("prompt", s.prompt, s.requests) +
                             lengths_figure("answer", s.output, s.requests);
  return charts.empty() ? charts : element("div", "class=\"charts\"", charts) + "\n";
}

}  // namespace plimsoll
