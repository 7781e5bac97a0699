#include "report/run/describe.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/page.h"
#include "report/form/svg.h"

namespace plimsoll {
namespace {

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

std::string shape_figures(const WorkloadShape& s) {
  const std::string charts = arrivals_figure(s) + lengths_figure("prompt", s.prompt, s.requests) +
                             lengths_figure("answer", s.output, s.requests);
  return charts.empty() ? charts : element("div", "class=\"charts\"", charts) + "\n";
}

}  // namespace plimsoll
