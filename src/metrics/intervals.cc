#include "metrics/intervals.h"

#include <algorithm>
#include <cmath>

#include "random/portable_math.h"
#include "stats/batch_means.h"

namespace plimsoll {
namespace {

constexpr std::size_t kRateCells = 1000;

class HeadlineIntervals {
 public:
  HeadlineIntervals(const RunRecord& record, const Summary& summary, const std::vector<Good>& good)
      : table_(record.requests), summary_(summary), good_(good) {
    const auto past_end = std::ranges::upper_bound(table_.arrival, record.horizon);
    to_ = *(past_end - 1);
    const double warmup_s = std::fmax(summary.steady_state.warmup_s, summary.warmup.until_s);
    from_ = table_.arrival.front() + duration_from_us(warmup_s * 1e6);
    first_ = static_cast<std::size_t>(std::lower_bound(table_.arrival.begin(), past_end, from_) -
                                      table_.arrival.begin());
    last_ = static_cast<std::size_t>(past_end - table_.arrival.begin());
  }

  std::vector<MetricInterval> all() {
    latency(&GroupSummary::ttft, table_.ttft);
    latency(&GroupSummary::e2e, table_.e2e);
    token_gaps();
    keep_around(figure("responses_per_sec"), requests_per_s());
    keep_around(figure("tokens_per_sec"), tokens_per_s());
    if (!good_.empty()) goodput();
    return std::move(intervals_);
  }

  std::optional<Interval> requests_per_s() const {
    return rate_interval([](std::size_t) { return 1.0; });
  }
  std::optional<Interval> tokens_per_s() const {
    return rate_interval(
        [&](std::size_t i) { return static_cast<double>(table_.generated_tokens[i]); });
  }

 private:
  void keep(const std::string& metric, const std::optional<Interval>& interval) {
    if (interval) intervals_.push_back({metric, interval->low, interval->high});
  }

  // Of a mean or a rate: the error of what came after the warm-up, around the value that it is of.
  void keep_around(double value, const std::string& metric, std::optional<Interval> interval) {
    if (interval) {
      const double half = (interval->high - interval->low) / 2;
      interval = Interval{value - half, value + half};
    }
    keep(metric, interval);
  }
  void keep_around(const Figure& f, const std::optional<Interval>& interval) {
    keep_around(f.of(summary_.cluster), f.key(), interval);
  }

  static std::vector<double> measured_ms(std::span<const Duration> column) {
    std::vector<double> ms;
    ms.reserve(column.size());
    for (const Duration d : column) {
      if (d != kNoDuration) ms.push_back(to_ms(d));
    }
    return ms;
  }

  void latency(Latency latency, std::span<const Duration> column) {
    const std::vector<double> ms = measured_ms(column.subspan(first_, last_ - first_));
    Percentiles<double> of(measured_ms(column.subspan(summary_.warmup.excluded)));
    std::vector<double> percentiles;
    for (const Statistic& s : kStatistics) {
      if (s.percentile > 0) percentiles.push_back(s.percentile);
    }
    const auto intervals = percentile_intervals(ms, of, percentiles, kIntervalLevel);
    auto next = intervals.begin();
    for (const Statistic& s : kStatistics) {
      const Figure f{&row_of(latency), &s};
      if (s.percentile > 0) {
        keep(f.key(), *next++);
      } else {
        keep_around(f, mean_interval(ms, kIntervalLevel));
      }
    }
  }

  void goodput() {
    std::vector<double> is_good;
    for (std::size_t i = first_; i < last_; ++i) {
      if (good_[i] != Good::no_limits) is_good.push_back(good_[i] == Good::yes ? 1 : 0);
    }
    const GoodputFigures& figures = summary_.goodput->all;
    keep_around(figures.attainment, "slo_attainment", mean_interval(is_good, kIntervalLevel));
    keep_around(figures.goodput_rps, "goodput_rps",
                rate_interval([&](std::size_t i) { return good_[i] == Good::yes ? 1.0 : 0.0; }));
  }

  // The pooled mean is a ratio of sums over requests: all gaps by their number.
  void token_gaps() {
    std::vector<double> sums_ms;
    std::vector<double> counts;
    for (std::size_t i = first_; i < last_; ++i) {
      if (!is_completed(table_.outcome[i])) continue;
      sums_ms.push_back(to_ms(table_.itl_sum[i]));
      counts.push_back(static_cast<double>(table_.itl_count[i]));
    }
    keep_around(figure("itl_mean_ms"), ratio_interval(sums_ms, counts, kIntervalLevel));
  }

  // Completions per second in equal cells of the window, each weighing `weight(i)`.
  template <class Weight>
  std::optional<Interval> rate_interval(Weight weight) const {
    const double cell_s = to_seconds(to_ - from_) / static_cast<double>(kRateCells);
    if (!(cell_s > 0)) return {};
    std::vector<double> cells(kRateCells, 0);
    for (std::size_t i = 0; i < last_; ++i) {
      if (!is_completed(table_.outcome[i])) continue;
      const Time done = table_.arrival[i] + table_.e2e[i];
      if (done < from_ || done >= to_) continue;
      const auto cell = static_cast<std::size_t>(to_seconds(done - from_) / cell_s);
      cells[std::min(cell, kRateCells - 1)] += weight(i) / cell_s;
    }
    return mean_interval(cells, kIntervalLevel);
  }

  const RequestTable& table_;
  const Summary& summary_;
  const std::vector<Good>& good_;
  Time from_;
  Time to_;
  std::size_t first_ = 0;  // requests [first_, last_) arrive in the window
  std::size_t last_ = 0;
  std::vector<MetricInterval> intervals_;
};

double middle(const MetricInterval& i) { return (i.low + i.high) / 2; }

std::optional<double> middle_of(const Summary& run, const std::string& metric) {
  const MetricInterval* interval = find_interval(run.intervals, metric);
  return interval == nullptr ? std::nullopt : std::optional(middle(*interval));
}

double error_of_latency(const ModelError& error, Latency metric, double percentile) {
  constexpr double kTail = 99;
  if (metric != &GroupSummary::ttft) return error.step;
  return percentile >= kTail ? error.ttft_tail : error.ttft;
}

double error_beside_steps(const ModelError& error, const Figure& figure) {
  if (!figure.is_latency()) return 0;
  return error_beside_steps(error, std::get<Latency>(figure.row->member),
                            figure.statistic->percentile);
}

MetricInterval of_the_model(const ModelError& error, const MetricInterval& sampled,
                            const Summary& fast, const Summary& slow) {
  const double center = middle(sampled);
  // Where an end is too short a run for this figure.
  const Figure figure = find_figure(sampled.metric);  // none: attainment, goodput
  const double z = figure.is_latency() ? portable_exp(error.step) : 1;
  const double at_fast = middle_of(fast, sampled.metric).value_or(center / z);
  const double at_slow = middle_of(slow, sampled.metric).value_or(center * z);
  MetricInterval out{sampled.metric, std::min({center, at_fast, at_slow}),
                     std::max({center, at_fast, at_slow})};
  const double beside = portable_exp(error_beside_steps(error, figure));
  out.low /= beside;
  out.high *= beside;
  if (slow.steady_state.verdict != SteadyVerdict::steady && figure.is_latency()) {
    out.high = std::numeric_limits<double>::infinity();
  }
  return out;
}

}  // namespace

std::vector<MetricInterval> headline_intervals(const RunRecord& record, const Summary& summary,
                                               const std::vector<Good>& good) {
  if (summary.steady_state.verdict != SteadyVerdict::steady) return {};
  return HeadlineIntervals(record, summary, good).all();
}

void take_steady_rates(const RunRecord& record, Summary* summary) {
  if (summary->steady_state.verdict != SteadyVerdict::steady) return;
  const std::vector<Good> none;
  const HeadlineIntervals window(record, *summary, none);
  const auto take = [](const std::optional<Interval>& interval, double* rate) {
    if (interval) *rate = (interval->low + interval->high) / 2;
  };
  take(window.requests_per_s(), &summary->cluster.responses_per_sec);
  take(window.tokens_per_s(), &summary->cluster.tokens_per_sec);
}

double error_beside_steps(const ModelError& error, Latency metric, double percentile) {
  const double z = error_of_latency(error, metric, percentile);
  return std::sqrt(std::max(0.0, z * z - error.step * error.step));
}

// Both errors are independent, and factors: the logarithms of their distances from the middle add
// up as squares do, so that no end is below 0.
MetricInterval together(const MetricInterval& sampled, const MetricInterval& model) {
  const double center = middle(sampled);
  const auto distance = [center](double a, double b) {
    return portable_exp(std::hypot(portable_log(a / center), portable_log(b / center)));
  };
  const double low = std::fmin(sampled.low, model.low);
  const double high = std::fmax(sampled.high, model.high);
  return {sampled.metric, low <= 0 ? 0.0 : center / distance(sampled.low, model.low),
          center <= 0 || std::isinf(high) ? high : center * distance(sampled.high, model.high)};
}

ModelBand model_band(const ModelError& error, const Summary& central, const Summary& fast,
                     const Summary& slow) {
  ModelBand band;
  band.error = error;
  band.slow = slow.steady_state.verdict;
  for (const MetricInterval& sampled : central.intervals) {
    band.model.push_back(of_the_model(error, sampled, fast, slow));
    band.combined.push_back(together(sampled, band.model.back()));
  }
  return band;
}

}  // namespace plimsoll
