#include "validation/case_figures.h"

#include <algorithm>
#include <limits>

#include "stats/average.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

void add_distribution(const std::string& name, std::vector<double> values, CaseFigures* figures) {
  if (values.empty()) return;
  (*figures)[name + ".mean"] = mean_of(values);
  Percentiles<double> percentiles(std::move(values));
  (*figures)[name + ".p50"] = percentiles.at(50);
  (*figures)[name + ".p90"] = percentiles.at(90);
  (*figures)[name + ".p99"] = percentiles.at(99);
}

double median_ttft_s(const RequestTable& rows, std::size_t first, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = first; i < first + count; ++i) {
    values.push_back(is_completed(rows.outcome[i]) ? to_seconds(rows.ttft[i])
                                                   : std::numeric_limits<double>::infinity());
  }
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count / 2),
                   values.end());
  return values[count / 2];
}

}  // namespace

void add_figures(const RequestTable& rows, std::size_t first, std::size_t count,
                 const std::string& prefix, CaseFigures* figures) {
  std::vector<double> ttft;
  std::vector<double> tpot;
  std::vector<double> e2e;
  double tokens = 0;
  Time begin = kNever;
  Time end;
  for (std::size_t i = first; i < first + count; ++i) {
    begin = std::min(begin, rows.arrival[i]);
    if (!is_completed(rows.outcome[i])) continue;
    ttft.push_back(to_ms(rows.ttft[i]));
    e2e.push_back(to_ms(rows.e2e[i]));
    const std::int32_t generated = rows.generated_tokens[i];
    tokens += generated;
    if (generated > 1) tpot.push_back((e2e.back() - ttft.back()) / (generated - 1));
    end = std::max(end, rows.arrival[i] + rows.e2e[i]);
  }
  const auto completed = static_cast<double>(e2e.size());
  (*figures)[prefix + "completed"] = completed;
  (*figures)[prefix + "failed"] = static_cast<double>(count) - completed;
  add_distribution(prefix + "ttft_ms", std::move(ttft), figures);
  add_distribution(prefix + "tpot_ms", std::move(tpot), figures);
  add_distribution(prefix + "e2e_ms", std::move(e2e), figures);
  if (completed == 0) return;
  const double duration = to_seconds(end - begin);
  (*figures)[prefix + "duration_s"] = duration;
  (*figures)[prefix + "requests_per_s"] = completed / duration;
  (*figures)[prefix + "output_tokens_per_s"] = tokens / duration;
}

void delay_first_tokens(double delay_ms, const std::string& prefix, CaseFigures* figures) {
  for (const char* name : {"ttft_ms", "e2e_ms"}) {
    for (const char* statistic : {".mean", ".p50", ".p90", ".p99"}) {
      const auto at = figures->find(prefix + name + statistic);
      if (at != figures->end()) at->second += delay_ms;
    }
  }
}

void add_window(const RequestTable& rows, const CaseWindow& window, CaseFigures* figures) {
  double completed = 0;
  double tokens = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_completed(rows.outcome[i])) continue;
    const double end = to_seconds(rows.arrival[i] + rows.e2e[i]);
    if (end < window.from_s || end >= window.to_s) continue;
    completed += 1;
    tokens += rows.generated_tokens[i];
  }
  const double length = window.to_s - window.from_s;
  (*figures)["window.completed"] = completed;
  (*figures)["window.requests_per_s"] = completed / length;
  (*figures)["window.output_tokens_per_s"] = tokens / length;
}

bool is_saturated(const RequestTable& rows, std::size_t first, std::size_t count) {
  std::size_t failed = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    if (!is_completed(rows.outcome[i])) ++failed;
  }
  if (20 * failed > count) return true;
  const std::size_t fifth = count / 5;
  if (fifth == 0) return false;
  const double early = median_ttft_s(rows, first, fifth);
  const double late = median_ttft_s(rows, first + count - fifth, fifth);
  return late > 1 && late > 5 * early;
}

}  // namespace plimsoll
