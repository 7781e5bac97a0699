#include <cmath>

#include "base/numbers.h"
#include "metrics/saturation.h"
#include "stats/student_t.h"

namespace plimsoll {
namespace {

constexpr double kEventsForConfidence = 20;

/// Completed work against arrived work, and the trend of latencies.
class Composite final : public SaturationDetector {
 public:
  void arrival(Time) override { ++arrivals_; }

  void completion(Time, Duration e2e) override {
    sums_us_.push_back(sums_us_.back() + e2e.ns / 1000);
  }

  SaturationVerdict verdict() const override {
    if (arrivals_ == 0) return {};
    const std::size_t n = sums_us_.size() - 1;
    const double deficit =
        std::fmax(0, 1 - as_double(std::ssize(sums_us_) - 1) / as_double(arrivals_));
    const double raw = raw_trend(n);
    const bool monotone = quartiles_increase(n);
    const double trend = n >= kFewest && monotone ? raw : 0;
    const double noise = 1 / std::sqrt(as_double(arrivals_));
    SaturationVerdict v;
    v.score = std::fmax(deficit, std::fmin(trend, 1));
    v.level = v.score < noise ? SaturationLevel::stable
              : trend > noise ? SaturationLevel::overloaded
                              : SaturationLevel::backlogged;
    v.confidence = std::fmin(1, as_double(arrivals_) / kEventsForConfidence);
    v.signals = {{"rate_deficit", deficit},
                 {"latency_trend_raw", std::fmin(raw, 1)},
                 {"latency_trend", std::fmin(trend, 1)},
                 {"quartile_monotone", monotone ? 1 : 0},
                 {"noise_floor", noise}};
    return v;
  }

 private:
  static constexpr std::size_t kFewest = 20;

  // Of completions [first, last).
  double mean(std::size_t first, std::size_t last) const {
    return as_double(sums_us_[last] - sums_us_[first]) / static_cast<double>(last - first);
  }

  double raw_trend(std::size_t n) const {
    if (n < 2) return 0;
    const double before = mean(0, n / 2);
    return before > 0 ? std::fmax(0, (mean(n / 2, n) - before) / before) : 0;
  }

  bool quartiles_increase(std::size_t n) const {
    const std::size_t q = n / 4;
    if (q == 0) return false;
    return mean(0, q) < mean(q, 2 * q) && mean(q, 2 * q) < mean(2 * q, 3 * q) &&
           mean(2 * q, 3 * q) < mean(3 * q, n);
  }

  std::int64_t arrivals_ = 0;
  std::vector<std::int64_t> sums_us_{0};  ///< of the first so many latencies
};

/// Mean E2E against a limit.
class Threshold final : public SaturationDetector {
 public:
  explicit Threshold(double threshold_ms) : threshold_ms_(threshold_ms) {}

  void arrival(Time) override {}

  void completion(Time, Duration e2e) override {
    ++completions_;
    sum_us_ += e2e.ns / 1000;
  }

  SaturationVerdict verdict() const override {
    const double mean_ms =
        completions_ > 0 ? as_double(sum_us_) / as_double(completions_) / 1000 : 0;
    SaturationVerdict v;
    if (mean_ms < threshold_ms_) {
      v.score = 0.5 * mean_ms / threshold_ms_;
    } else {
      v.level = SaturationLevel::overloaded;
      v.score = 0.75 + std::fmin(0.25, (mean_ms - threshold_ms_) / (4 * threshold_ms_));
    }
    v.confidence = 1 - 1 / std::sqrt(as_double(completions_ + 1));
    v.signals = {{"mean_e2e", mean_ms}, {"threshold", threshold_ms_}};
    return v;
  }

 private:
  double threshold_ms_;
  std::int64_t completions_ = 0;
  std::int64_t sum_us_ = 0;
};

/// Growth of the number of requests in the system from window to window. It is noise below
/// 1 / sqrt(arrivals), or if `by_standard_error` below what the scatter of the windows about their
/// line makes likely (95 %, one-sided).
///
/// The number in the system at the end of each window, and the slope of a straight line through
/// those numbers, from running sums.
class BacklogDrift final : public SaturationDetector {
 public:
  BacklogDrift(double window_s, bool by_standard_error)
      : window_us_(window_s * 1e6), by_standard_error_(by_standard_error) {}

  void arrival(Time at) override {
    close_windows(at);
    ++arrivals_;
  }

  void completion(Time at, Duration) override {
    close_windows(at);
    ++completions_;
  }

  SaturationVerdict verdict() const override {
    if (arrivals_ == 0) return {};
    const double noise = by_standard_error_ ? likely_error_ : 1 / std::sqrt(as_double(arrivals_));
    const double growth = by_standard_error_ && windows_ < kFewestWindows ? 0 : slope();
    SaturationVerdict v;
    v.level = growth <= noise       ? SaturationLevel::stable
              : growth <= 3 * noise ? SaturationLevel::backlogged
                                    : SaturationLevel::overloaded;
    v.score = growth > 0 ? std::fmin(1, growth / (3 * noise)) : 0;
    v.confidence = std::fmin(1, as_double(arrivals_) / kEventsForConfidence);
    v.signals = {{"in_flight", as_double(arrivals_ - completions_)},
                 {"arrivals", as_double(arrivals_)},
                 {"completions", as_double(completions_)},
                 {"running_slope", growth},
                 {"noise_floor", noise}};
    return v;
  }

 private:
  // All windows before that of `at` end with the present number; empty ones carry it forward.
  void close_windows(Time at) {
    const double window = std::floor(as_double(at.ns / 1000) / window_us_);
    if (window <= windows_) return;
    const double more = window - windows_;
    const double in_system = as_double(arrivals_ - completions_);
    sum_ += more * in_system;
    // Of the indices windows_ ... window - 1.
    weighted_sum_ += in_system * more * (windows_ + window - 1) / 2;
    squares_ += more * in_system * in_system;
    windows_ = window;
    if (by_standard_error_ && windows_ >= kFewestWindows) likely_error_ = likely_error();
  }

  // The slope that the scatter about the line may give by chance: its standard error (ordinary
  // least squares) times the quantile of Student's t.
  double likely_error() const {
    constexpr double kMostDegrees = 200;  // from where the quantile hardly changes
    const double n = windows_;
    const double spread = n * (n * n - 1) / 12;
    const double b = slope();
    const double scatter = std::fmax(0, squares_ - sum_ * sum_ / n - b * b * spread);
    const double t = student_t_quantile(0.95, static_cast<int>(std::fmin(n - 2, kMostDegrees)));
    return t * std::sqrt(scatter / (n - 2) / spread);
  }

  double slope() const {
    if (windows_ < 2) return 0;
    const double n = windows_;
    const double mean_index = (n - 1) / 2;
    const double spread = n * (n * n - 1) / 12;  // sum of squared distances from the mean index
    return (weighted_sum_ - mean_index * sum_) / spread;
  }

  static constexpr double kFewestWindows = 3;

  double window_us_;
  bool by_standard_error_;
  std::int64_t arrivals_ = 0;
  std::int64_t completions_ = 0;
  double windows_ = 0;  ///< closed ones; whole
  double sum_ = 0;
  double weighted_sum_ = 0;
  double squares_ = 0;
  double likely_error_ = 0;
};

}  // namespace

const std::vector<SaturationDetectorRow>& saturation_detectors() {
  using Made = std::unique_ptr<SaturationDetector>;
  static const std::vector<SaturationDetectorRow> rows{
      {"composite", "completions stay behind arrivals, or E2E grows",
       [](const SaturationConfig&, const Semantics&) -> Made {
         return std::make_unique<Composite>();
       }},
      {"threshold", "mean E2E is above a limit, growing or not",
       [](const SaturationConfig& config, const Semantics&) -> Made {
         return std::make_unique<Threshold>(config.threshold_ms);
       }},
      {"backlog-drift", "the number of requests in the system grows",
       [](const SaturationConfig& config, const Semantics& semantics) -> Made {
         return std::make_unique<BacklogDrift>(config.window_s, semantics.drift_by_standard_error);
       }}};
  return rows;
}

}  // namespace plimsoll
