#include "planner/slo_judgement.h"

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

constexpr double kShownLevel = 0.90;

// Above the tolerated share, below it, or across.
Answer compare(const std::optional<Interval>& value, double limit) {
  if (!value) return Answer::unclear;
  if (value->low > limit) return Answer::fails;
  return value->high <= limit ? Answer::holds : Answer::unclear;
}

// Could the longest run decide what this one left open, of which it is `share`? Intervals narrow
// with the root of the length; by then the value has moved, by one of its own errors if it is
// lucky. Looks so early that this says little always go on.
bool is_within_reach(const Interval& now, double limit, double share) {
  constexpr double kErrorsInHalfWidth = 2.4;  // at the levels of the first looks
  const double half = (now.high - now.low) / 2;
  const double distance = std::fabs((now.high + now.low) / 2 - limit);
  const double lucky = half / kErrorsInHalfWidth * std::sqrt(std::fmax(0, 1 - share));
  return distance + lucky > half * std::sqrt(share);
}

// A share of which a short series with few that exceed, all in a few places, has no interval:
// groups of them, more than 1/40 of the series apart, come independently of each other, and none is
// larger than the largest that was seen, or than four. High: by the upper limit of their number
// (97.5 %, Byar's approximation of Poisson's; Breslow and Day 1987, 2.3). Low: not known.
Interval share_of_groups(const std::vector<double>& exceeds) {
  constexpr double kDeviations = 1.96;
  const std::size_t apart = exceeds.size() / kMostBatches;
  double groups = 0;
  double size = 0;
  double largest = 4;
  std::size_t last = 0;
  for (std::size_t i = 0; i < exceeds.size(); ++i) {
    if (exceeds[i] == 0) continue;
    const bool begins = groups == 0 || i - last > apart;
    groups += begins ? 1 : 0;
    size = begins ? 1 : size + 1;
    largest = std::fmax(largest, size);
    last = i;
  }
  const double one_more = groups + 1;
  const double root = 1 - 1 / (9 * one_more) + kDeviations / (3 * std::sqrt(one_more));
  const double most = one_more * root * root * root;
  return {0, most * largest / static_cast<double>(exceeds.size())};
}

class Judging {
 public:
  Judging(const std::vector<Slo>& slos, const RunRecord& record, const GapStretches& gaps,
          const SteadyState& state, const SloLook& look)
      : slos_(slos), record_(record), gaps_(gaps), state_(state), look_(look) {}

  std::vector<SloFigure> figures() const {
    std::vector<SloFigure> out;
    for (std::size_t i = 0; i < slos_.size(); ++i) out.push_back(figure(i));
    return out;
  }

 private:
  /// Traffic that has no steady state has one figure: that of the whole run.
  bool is_steady() const { return state_.verdict == SteadyVerdict::steady; }

  SloFigure figure(std::size_t i) const {
    const Slo& slo = slos_[i];
    SloSeries series = series_of(record_, slo, is_steady() ? state_.warmup_s : look_.warmup_s);
    SloFigure f;
    f.limit_ms = to_ms(slo.limit);
    // Gaps between tokens are counted beside the requests (GapStretches).
    const bool is_ranked = slo.percentile && slo.metric != &GroupSummary::itl;
    Percentiles<double> of(is_ranked ? series.served_ms : std::vector<double>());
    f.value_ms = is_ranked ? of.at(*slo.percentile) : mean_of(series.served_ms);
    f.exceeding_share = series.exceeding_share();
    f.unserved_share = series.unserved_share();
    f.requests = std::ssize(series.exceeds);
    if (slo.metric == &GroupSummary::itl) {
      f.value_ms = gaps_.value_ms(slo);
      f.exceeding_share = gaps_.exceeding_share(i);
    }
    // Answers of one token have no gap that could be too long; else none could be served.
    if (series.exceeds.empty()) {
      if (series.without_gaps > 0) f.answer = Answer::holds;
      return f;
    }
    if (rate_changes()) {
      f.answer = plain_answer(slo, f);
      return f;
    }
    if (slo.metric == &GroupSummary::itl && slo.percentile) {
      decide(gaps_.share_interval(i, state_.warmup_s, look_.level), slo.tolerated_share(), &f);
      return f;
    }
    if (slo.metric == &GroupSummary::itl) {
      f.interval_ms = series.mean_gap_interval(kShownLevel);
      decide(series.mean_gap_interval(look_.level), to_ms(slo.limit), &f);
      return f;
    }
    if (!slo.percentile) {
      f.interval_ms = mean_interval(series.served_ms, kShownLevel);
      decide(mean_interval(series.served_ms, look_.level), to_ms(slo.limit), &f);
      return f;
    }
    const auto of_percentile = [&](double level) -> std::optional<Interval> {
      if (series.served_ms.empty()) return {};
      return percentile_interval(series.served_ms, of, *slo.percentile, level);
    };
    f.interval_ms = of_percentile(kShownLevel);
    if (static_cast<std::int64_t>(series.exceeds.size()) >= least_to_tell(slo)) {
      const auto share = mean_interval(series.exceeds, look_.level);
      decide(share, slo.tolerated_share(), &f);
      // Where few exceed, and those together, their share has no interval; the percentile has.
      if (!share && f.unserved_share == 0) {
        decide(of_percentile(look_.level), to_ms(slo.limit), &f);
      }
      if (f.answer == Answer::unclear && is_missed_by_far(slo, f)) f.answer = Answer::fails;
      if (f.answer == Answer::unclear && look_.is_whole && !share)
        decide(share_of_groups(series.exceeds), slo.tolerated_share(), &f);
    }
    return f;
  }

  void decide(const std::optional<Interval>& value, double limit, SloFigure* f) const {
    f->answer = compare(value, limit);
    f->within_reach = !value || !is_steady() || is_within_reach(*value, limit, look_.share);
  }

  // Near its limit a queue wanders, and no length gives an interval. But of a run that began empty
  // no more are expected to exceed than later, and Markov's inequality needs nothing else: if no
  // more did than is tolerated, 20 times as many would be seen in one run of 20. Looks before the
  // last one may be wrong as rarely as their intervals.
  bool is_missed_by_far(const Slo& slo, const SloFigure& f) const {
    constexpr double kAlpha = 0.05;
    const double alpha = look_.share >= 1 ? kAlpha : (1 - look_.level) / 2;
    return alpha * f.exceeding_share > slo.tolerated_share();
  }

  bool rate_changes() const {
    return state_.verdict == SteadyVerdict::transient && state_.enough_requests == 0;
  }

  static Answer plain_answer(const Slo& slo, const SloFigure& f) {
    const bool holds = slo.percentile ? f.exceeding_share <= slo.tolerated_share()
                                      : f.value_ms <= to_ms(slo.limit);
    return holds ? Answer::holds : Answer::fails;
  }

  static double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return ratio_or_zero(sum, static_cast<double>(values.size()));
  }

  const std::vector<Slo>& slos_;
  const RunRecord& record_;
  const GapStretches& gaps_;
  const SteadyState& state_;
  const SloLook look_;
};

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
  series.served_ms.reserve(t.size());
  series.exceeds.reserve(t.size());
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (t.arrival[row] < from || t.arrival[row] > record.horizon) continue;
    if (t.outcome[row] == Outcome::dropped) continue;
    if (slo.slo_class && t.slo_class[row] != *slo.slo_class) continue;
    if (by_gaps && has_no_gap(t, row)) {
      ++series.without_gaps;
      continue;
    }
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

std::vector<SloFigure> slo_figures(const std::vector<Slo>& slos, const RunRecord& record,
                                   const GapStretches& gaps, const SteadyState& state,
                                   const SloLook& look) {
  return Judging(slos, record, gaps, state, look).figures();
}

}  // namespace plimsoll
