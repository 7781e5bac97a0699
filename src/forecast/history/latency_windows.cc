#include "forecast/history/latency_windows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/history/counter_series.h"
#include "forecast/history/history.h"
#include "forecast/history/recorded_counters.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr double kShortestS = 600;
constexpr double kShortestStepS = 1e-3;
constexpr double kFewestInWindow = 50;  // requests of a window
constexpr double kMostPending = 0.1;    // of the requests: more or fewer began than ended
constexpr double kMostChange = 0.5;     // of the rate, from the window before to the one after
constexpr double kOverloadMs = 1000;    // and so many times the median window
constexpr double kOverloadTimes = 5;

// Names as the metrics of vLLM (docs.vllm.ai, "Production Metrics") and SGLang have them. The gap
// between tokens had another name in vLLM before 0.11.
constexpr KnownCounter kWindowCounters[]{{"vllm:request_success_total", "requests"},
                                         {"vllm:prompt_tokens_total", "prompt"},
                                         {"vllm:generation_tokens_total", "output"},
                                         {"vllm:prefix_cache_hits_total", "cached"},
                                         {"vllm:time_to_first_token_seconds_sum", "first_s"},
                                         {"vllm:time_to_first_token_seconds_count", "firsts"},
                                         {"vllm:inter_token_latency_seconds_sum", "gap_s"},
                                         {"vllm:inter_token_latency_seconds_count", "gaps"},
                                         {"vllm:time_per_output_token_seconds_sum", "old_gap_s"},
                                         {"vllm:time_per_output_token_seconds_count", "old_gaps"},
                                         {"vllm:e2e_request_latency_seconds_sum", "whole_s"},
                                         {"vllm:e2e_request_latency_seconds_count", "wholes"},
                                         kPromptBuckets,
                                         kOutputBuckets,
                                         {"sglang:num_requests_total", "requests"},
                                         {"sglang:prompt_tokens_total", "prompt"},
                                         {"sglang:generation_tokens_total", "output"},
                                         {"sglang:cached_tokens_total", "cached"},
                                         {"sglang:time_to_first_token_seconds_sum", "first_s"},
                                         {"sglang:time_to_first_token_seconds_count", "firsts"},
                                         {"sglang:inter_token_latency_seconds_sum", "gap_s"},
                                         {"sglang:inter_token_latency_seconds_count", "gaps"},
                                         {"sglang:e2e_request_latency_seconds_sum", "whole_s"},
                                         {"sglang:e2e_request_latency_seconds_count", "wholes"}};

/// What each step added to the counters of one instance, by column; NaN where no sample tells.
using Gains = std::map<std::string, std::vector<double>, std::less<>>;

// What each step gained; a gap and a restart leave theirs unknown, and so does the time beyond the
// samples. One that `joins` others had counted nothing before its first sample.
std::vector<double> gains_of(const CounterSeries& series, double first_s, double step_s,
                             std::size_t steps, bool joins) {
  std::vector<double> gains(steps);
  CounterBreaks breaks;
  add_counts(series, first_s, step_s, &gains, &breaks);
  const auto forget = [&](double from, double to) {  // in steps
    const auto end = static_cast<std::size_t>(std::fmin(std::ceil(to), static_cast<double>(steps)));
    for (auto i = static_cast<std::size_t>(std::fmax(0, std::floor(from))); i < end; ++i)
      gains[i] = std::nan("");
  };
  for (const auto& [at, missing] : breaks.gaps)
    forget(static_cast<double>(at), static_cast<double>(at + missing + 1));
  for (const std::size_t at : breaks.restarts)
    forget(static_cast<double>(at), static_cast<double>(at + 1));
  const double begins = (series.samples.front().time_s - first_s) / step_s;
  const double ends = (series.samples.back().time_s - first_s) / step_s;
  if (!joins && begins > kOnBorder) forget(0, begins);
  forget(ends + kOnBorder, static_cast<double>(steps));
  return gains;
}

/// The columns of an instance as windows.
class Windows {
 public:
  Windows(const Gains& gains, double first_s, double step_s) : first_s_(first_s), step_s_(step_s) {
    width_ = static_cast<std::size_t>(std::max(1.0, std::ceil(kShortestS / step_s)));
    for (const auto& [column, values] : gains) sums_.emplace(column, summed(values));
  }

  std::size_t size() const { return sums_.begin()->second.size(); }

  // None where a sample is missing, or a counter.
  std::optional<MeasuredWindow> at(std::size_t i) const {
    const double requests = sum("requests", i);
    MeasuredWindow window;
    window.begin_s = first_s_ + length_s() * static_cast<double>(i);
    window.requests_per_s = requests / length_s();
    window.prompt_tokens = sum("prompt", i) / requests;
    window.output_tokens = sum("output", i) / requests;
    if (sums_.contains("cached"))
      window.cached_tokens = std::min(sum("cached", i) / requests, window.prompt_tokens);
    window.ttft_ms = mean_ms("first_s", "firsts", i);
    window.tpot_ms = tpot_ms(window, i);
    const bool is_known = std::isfinite(window.prompt_tokens) && window.prompt_tokens >= 1 &&
                          window.output_tokens >= 1 && std::isfinite(window.cached_tokens);
    if (!is_known || !(window.ttft_ms || window.tpot_ms)) return std::nullopt;
    return window;
  }

  double requests(std::size_t i) const { return sum("requests", i); }

  // As many begin as end, and about as many came before as come after.
  bool is_steady(std::size_t i) const {
    const double requests = sum("requests", i);
    const double pending = std::fabs(sum("firsts", i) - requests);
    if (sums_.contains("firsts") && !(pending <= kMostPending * requests)) return false;
    const double before = i > 0 ? sum("requests", i - 1) : std::nan("");
    const double after = i + 1 < size() ? sum("requests", i + 1) : std::nan("");
    return !(std::fabs(after - before) > kMostChange * requests);  // one of them may be unknown
  }

  double length_s() const { return step_s_ * static_cast<double>(width_); }

 private:
  std::vector<double> summed(const std::vector<double>& values) const {
    std::vector<double> sums;
    for (std::size_t first = 0; first + width_ <= values.size(); first += width_) {
      double sum = 0;
      for (std::size_t i = first; i < first + width_; ++i) sum += values[i];
      sums.push_back(sum);
    }
    return sums;
  }

  double sum(std::string_view column, std::size_t i) const {
    const auto found = sums_.find(column);
    return found == sums_.end() ? std::nan("") : found->second[i];
  }

  std::optional<double> mean_ms(std::string_view seconds, std::string_view count,
                                std::size_t i) const {
    const double ms = 1e3 * sum(seconds, i) / sum(count, i);
    return std::isfinite(ms) && ms > 0 ? std::optional(ms) : std::nullopt;
  }

  // Of the gaps between tokens; else of what whole answers took after their first token.
  std::optional<double> tpot_ms(const MeasuredWindow& window, std::size_t i) const {
    for (const auto& [seconds, count] : {std::pair("gap_s", "gaps"), {"old_gap_s", "old_gaps"}}) {
      if (const auto gap = mean_ms(seconds, count, i)) return gap;
    }
    const auto whole = mean_ms("whole_s", "wholes", i);
    if (!whole || !window.ttft_ms || *whole <= *window.ttft_ms || window.output_tokens <= 1)
      return std::nullopt;
    return (*whole - *window.ttft_ms) / (window.output_tokens - 1);
  }

  double first_s_;
  double step_s_;
  std::size_t width_;
  Gains sums_;
};

class WindowMaker {
 public:
  WindowMaker(const RecordedCounters& counters, const std::string& file)
      : counters_(counters), file_(file) {}

  Result<LatencyWindows> make() {
    TRY_TO(check_columns());
    if (counters_.step_s <= 0) return wrong("no series has two samples: there is no step");
    if (counters_.step_s < kShortestStepS) return wrong("samples are less than 1 ms apart");
    std::map<std::string, std::vector<const CounterSeries*>> instances;
    for (const CounterSeries& series : counters_.series)
      instances[series.instance].push_back(&series);
    for (const auto& [instance, series] : instances) TRY_TO(add_instance(series));
    leave_out_overloads();
    if (all_ == 0) return wrong("the recording is shorter than a window of ten minutes");
    if (out_.windows.empty()) {
      return wrong("no window of steady load is left of " + grouped(all_) + ": " +
                   join(left_out(), ", "));
    }
    if (const auto notes = left_out(); !notes.empty()) {
      out_.notes.push_back("of " + counted(all_, "window") + " of " + shortest(length_s_ / 60) +
                           " min, left out: " + join(notes, ", "));
    }
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> wrong(std::string message) const {
    return fail_in(ErrorKind::spec, file_, std::move(message),
                   query_for(kWindowCounters, engine()));
  }

  // The prefix of the metrics that were read.
  std::string_view engine() const {
    const bool is_sglang =
        !counters_.series.empty() && counters_.series.front().metric.starts_with("sglang:");
    return is_sglang ? "sglang:" : "vllm:";
  }

  bool has(std::string_view column) const {
    return contains(counters_.series, column, &CounterSeries::column);
  }

  Result<void> check_columns() const {
    for (const char* column : {"requests", "prompt", "output"}) {
      if (has(column)) continue;
      const auto of_same_engine = [&](const KnownCounter& known) {
        return known.column == column && known.metric.starts_with(engine());
      };
      const auto* known = std::ranges::find_if(kWindowCounters, of_same_engine);
      return wrong("the answer lacks " + std::string(known->metric) +
                   ", without which its load is not known");
    }
    if (has("first_s") || has("gap_s") || has("old_gap_s")) return {};
    return wrong("the answer has no latencies to calibrate from");
  }

  Result<void> add_instance(const std::vector<const CounterSeries*>& all) {
    double first = INFINITY;
    double last = 0;
    for (const CounterSeries* series : all) {
      first = std::min(first, series->samples.front().time_s);
      last = std::max(last, series->samples.back().time_s);
    }
    const double step_s = whole_step_s(counters_.step_s);
    if ((last - first) / step_s > kMostHistorySteps)
      return wrong("there are more than a million steps");
    const std::size_t steps = whole_steps(last - first, step_s);
    Gains gains;
    for (const CounterSeries* series : all) {
      const bool joins = std::ranges::any_of(all, [&](const CounterSeries* other) {
        return other->column == series->column &&
               other->samples.front().time_s < series->samples.front().time_s;
      });
      const std::vector<double> own = gains_of(*series, first, step_s, steps, joins);
      std::vector<double>& sum = gains[series->column];
      sum.resize(own.size());
      for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
    }
    add_windows(Windows(gains, first, step_s));
    return {};
  }

  void add_windows(const Windows& windows) {
    length_s_ = windows.length_s();
    for (std::size_t i = 0; i < windows.size(); ++i) {
      all_ += 1;
      const auto window = windows.at(i);
      if (!window) {
        unknown_ += 1;
      } else if (windows.requests(i) < kFewestInWindow) {
        few_ += 1;
      } else if (!windows.is_steady(i)) {
        unsteady_ += 1;
      } else {
        out_.windows.push_back(*window);
      }
    }
  }

  void leave_out_overloads() {
    std::vector<double> ttft;
    for (const MeasuredWindow& window : out_.windows) {
      if (window.ttft_ms) ttft.push_back(*window.ttft_ms);
    }
    if (ttft.empty()) return;
    const double most = std::max(kOverloadMs, kOverloadTimes * Percentiles<double>(ttft).at(50));
    overloaded_ = static_cast<std::int64_t>(std::erase_if(
        out_.windows, [&](const MeasuredWindow& window) { return window.ttft_ms > most; }));
  }

  std::vector<std::string> left_out() const {
    std::vector<std::string> parts;
    const auto add = [&](std::int64_t count, const std::string& why) {
      if (count > 0) parts.push_back(grouped(count) + " " + why);
    };
    add(unknown_, "with a gap, a restart or no latencies");
    add(few_, "with fewer than " + shortest(kFewestInWindow) + " requests");
    add(unsteady_, "whose load rose or fell");
    add(overloaded_, "of an overload");
    return parts;
  }

  const RecordedCounters& counters_;
  const std::string& file_;
  LatencyWindows out_;
  double length_s_ = 0;
  std::int64_t all_ = 0;
  std::int64_t unknown_ = 0;
  std::int64_t few_ = 0;
  std::int64_t unsteady_ = 0;
  std::int64_t overloaded_ = 0;
};

}  // namespace

Result<LatencyWindows> read_latency_windows(const std::string& text, const std::string& file) {
  TRY(counters, read_counters(text, file, kWindowCounters, ""));
  if (counters.models.size() > 1) {
    return fail_in(ErrorKind::spec, file,
                   "the answer counts " + counted(std::ssize(counters.models), "model") + ": " +
                       join({counters.models.begin(), counters.models.end()}, ", "),
                   "a calibration is of one: ask for {model_name=\"...\"} alone");
  }
  const TrafficShape shape = take_length_buckets(&counters.series);
  TRY(out, WindowMaker(counters, file).make());
  out.shape = shape;
  if (!counters.models.empty()) out.model = *counters.models.begin();
  return out;
}

}  // namespace plimsoll
