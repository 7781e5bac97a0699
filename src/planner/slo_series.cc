#include "planner/slo_series.h"

#include <algorithm>
#include <cmath>

#include "metrics/latency.h"

namespace plimsoll {
namespace {

constexpr std::size_t kStretches = 100;
constexpr std::size_t kEarlyLook = 40;

// In nanoseconds; kNoValue where the request has no such latency.
std::int64_t latency_ns(const RequestTable& t, std::size_t row, Latency metric) {
  if (metric == &GroupSummary::ttft) return t.ttft[row].ns;
  return metric == &GroupSummary::e2e ? t.e2e[row].ns : mean_gap_ns(t, row);
}

// An answer of one token has no gap: nothing to exceed, nothing to measure.
bool has_no_gap(const RequestTable& t, std::size_t row) {
  return is_completed(t.outcome[row]) && t.itl_count[row] <= 0;
}

bool is_about_gaps(const Slo& slo) { return slo.metric == &GroupSummary::itl && slo.percentile; }

/// Remembers that it was stopped: advance() also ends at its limit.
class Watched final : public Monitor {
 public:
  explicit Watched(Monitor* inner) : inner_(inner) {}
  bool keep_going(const Progress& progress) override {
    stopped_ = stopped_ || (inner_ != nullptr && !inner_->keep_going(progress));
    return !stopped_;
  }
  bool stopped() const { return stopped_; }

 private:
  Monitor* inner_;
  bool stopped_ = false;
};

double exceeding(const ItlHistogram& gaps, const Slo& slo) {
  return static_cast<double>(gaps.count_above_us(slo.limit.ns / 1000));
}

}  // namespace

double SloSeries::exceeding_share() const {
  double sum = 0;
  for (const double e : exceeds) sum += e;
  return ratio_or_zero(sum, static_cast<double>(exceeds.size()));
}

double SloSeries::unserved_share() const {
  return ratio_or_zero(static_cast<double>(exceeds.size() - served_ms.size()),
                       static_cast<double>(exceeds.size()));
}

std::optional<Interval> SloSeries::mean_gap_interval(double level) const {
  return ratio_interval(gap_sum_ms, gap_count, level);
}

SloSeries series_of(const RunRecord& record, const Slo& slo, double warmup_s) {
  const RequestTable& t = record.requests;
  SloSeries series;
  if (t.size() == 0) return series;
  const Time from = t.arrival.front() + duration_from_us(warmup_s * 1e6);
  const bool by_gaps = slo.metric == &GroupSummary::tpot || slo.metric == &GroupSummary::itl;
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (t.arrival[row] < from || t.arrival[row] > record.horizon) continue;
    if (t.outcome[row] == Outcome::dropped) continue;
    if (slo.slo_class && t.slo_class[row] != *slo.slo_class) continue;
    if (by_gaps && has_no_gap(t, row)) continue;
    const std::int64_t ns = latency_ns(t, row, slo.metric);
    if (ns >= 0) series.served_ms.push_back(static_cast<double>(ns) / kNsPerMs);
    series.exceeds.push_back(ns < 0 || ns > slo.limit.ns ? 1 : 0);
    if (slo.metric == &GroupSummary::itl && ns >= 0) {
      series.gap_sum_ms.push_back(to_ms(t.itl_sum[row]));
      series.gap_count.push_back(static_cast<double>(t.itl_count[row]));
    }
  }
  return series;
}

void GapStretches::add(const ItlHistogram& so_far, const std::vector<Slo>& slos) {
  all_ = so_far;
  count_.push_back(static_cast<double>(so_far.count()));
  exceeding_.resize(slos.size());
  for (std::size_t i = 0; i < slos.size(); ++i) {
    exceeding_[i].push_back(is_about_gaps(slos[i]) ? exceeding(so_far, slos[i]) : 0);
  }
}

double GapStretches::value_ms(const Slo& slo) const {
  return (slo.percentile ? all_.percentile_us(*slo.percentile) : all_.mean_us()) / kUsPerMs;
}

double GapStretches::exceeding_share(std::size_t slo) const {
  if (count_.empty()) return 0;
  return ratio_or_zero(exceeding_[slo].back(), count_.back());
}

std::optional<Interval> GapStretches::share_interval(std::size_t slo, double warmup_s,
                                                     double level) const {
  std::vector<double> over;
  std::vector<double> all;
  // The last stretch is the drain after the last arrival.
  for (std::size_t i = 1; i + 1 < count_.size(); ++i) {
    if (static_cast<double>(i) * stretch_s_ < warmup_s) continue;
    over.push_back(exceeding_[slo][i] - exceeding_[slo][i - 1]);
    all.push_back(count_[i] - count_[i - 1]);
  }
  return ratio_interval(over, all, level);
}

bool run_in_stretches(Simulation& simulation, const std::vector<Slo>& slos, double span_s,
                      Monitor* monitor, GapStretches* gaps, const EarlyLook& goes_on) {
  const bool about_gaps =
      std::ranges::any_of(slos, [](const Slo& slo) { return slo.metric == &GroupSummary::itl; });
  Watched watched(monitor);
  const double stretch_s = span_s / static_cast<double>(kStretches);
  gaps->set_length(stretch_s);
  bool over = false;
  for (std::size_t i = 1; i <= kStretches && !over && !watched.stopped(); ++i) {
    const bool look = i == kEarlyLook && goes_on;
    if (!about_gaps && !look) continue;
    const Time end =
        Time{} + Duration{duration_from_us(stretch_s * 1e6).ns * static_cast<std::int64_t>(i)};
    if (simulation.advance({.time = end}, &watched)) break;
    if (about_gaps) gaps->add(simulation.gaps(), slos);
    over = look && !watched.stopped() && !goes_on();
  }
  if (!over && !watched.stopped()) simulation.advance({}, &watched);
  if (about_gaps) gaps->add(simulation.gaps(), slos);
  return !watched.stopped();
}

}  // namespace plimsoll
