#include "planner/slo_judgement.h"

#include <cmath>

#include "metrics/latency.h"

namespace plimsoll {
namespace {

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
    f.value_ms = value_of(slo, series);
    f.exceeding_share = series.exceeding_share();
    f.unserved_share = series.unserved_share();
    if (slo.metric == &GroupSummary::itl) {
      f.value_ms = gaps_.value_ms(slo);
      f.exceeding_share = gaps_.exceeding_share(i);
    }
    if (series.exceeds.empty()) return f;  // none could be served
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
    Percentiles<double> of(series.served_ms);
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
    }
    return f;
  }

  void decide(const std::optional<Interval>& value, double limit, SloFigure* f) const {
    f->answer = compare(value, limit);
    f->within_reach = !value || !is_steady() || is_within_reach(*value, limit, look_.share);
  }

  // Near its limit a queue wanders, and no length gives an interval. But of a run that began empty
  // no more are expected to exceed than later, and Markov's inequality needs nothing else: if no
  // more did than is tolerated, 20 times as many would be seen in one run of 20.
  bool is_missed_by_far(const Slo& slo, const SloFigure& f) const {
    constexpr double kAlpha = 0.05;
    return look_.share >= 1 && kAlpha * f.exceeding_share > slo.tolerated_share();
  }

  bool rate_changes() const {
    return state_.verdict == SteadyVerdict::transient && state_.enough_requests == 0;
  }

  static Answer plain_answer(const Slo& slo, const SloFigure& f) {
    const bool holds = slo.percentile ? f.exceeding_share <= slo.tolerated_share()
                                      : f.value_ms <= to_ms(slo.limit);
    return holds ? Answer::holds : Answer::fails;
  }

  static double value_of(const Slo& slo, const SloSeries& series) {
    if (series.served_ms.empty()) return 0;
    if (slo.percentile) return Percentiles<double>(series.served_ms).at(*slo.percentile);
    double sum = 0;
    for (const double ms : series.served_ms) sum += ms;
    return sum / static_cast<double>(series.served_ms.size());
  }

  const std::vector<Slo>& slos_;
  const RunRecord& record_;
  const GapStretches& gaps_;
  const SteadyState& state_;
  const SloLook look_;
};

}  // namespace

std::vector<SloFigure> slo_figures(const std::vector<Slo>& slos, const RunRecord& record,
                                   const GapStretches& gaps, const SteadyState& state,
                                   const SloLook& look) {
  return Judging(slos, record, gaps, state, look).figures();
}

}  // namespace plimsoll
