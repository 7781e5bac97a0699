#include "setup/measured_windows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "cluster/simulation.h"
#include "forecast/demand/token_load.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostWindows = 48;
constexpr std::int64_t kComparedRequests = 500;  // of a window, that are compared
constexpr std::int64_t kMostMore = 5000;         // before and after them
constexpr double kUsualResidenceS = 10;          // where one latency is not known

double tokens_per_s(const MeasuredWindow& window) {
  return window.requests_per_s *
         (window.prompt_tokens - window.cached_tokens + window.output_tokens);
}

// In order of time, some of every load.
std::vector<MeasuredWindow> of_every_load(std::vector<MeasuredWindow> windows) {
  if (windows.size() > kMostWindows) {
    std::ranges::stable_sort(windows, {}, tokens_per_s);
    std::vector<MeasuredWindow> chosen;
    for (std::size_t i = 0; i < kMostWindows; ++i)
      chosen.push_back(windows[i * (windows.size() - 1) / (kMostWindows - 1)]);
    windows = std::move(chosen);
  }
  std::ranges::stable_sort(windows, {}, &MeasuredWindow::begin_s);
  return windows;
}

// Little's law.
double under_way(const MeasuredWindow& window) {
  if (!window.ttft_ms || !window.tpot_ms) return window.requests_per_s * kUsualResidenceS;
  return window.requests_per_s * (*window.ttft_ms + *window.tpot_ms * window.output_tokens) / 1e3;
}

/// The requests of a window: from when the instance is as busy as it was, until others still come
/// while the last of those compared are answered.
struct WindowTraffic {
  LoadMaker load;
  double requests_per_s = 0;
  std::int64_t requests = 0;
  std::size_t first = 0;  ///< row of those compared
};

WindowTraffic traffic_of(const MeasuredWindow& window, const TrafficShape& shape,
                         std::size_t number) {
  Flow flow;
  flow.route = flow.origin = "all";
  flow.requests_per_s = window.requests_per_s;
  flow.prompt_tokens = window.prompt_tokens;
  flow.cached_share = window.cached_tokens / window.prompt_tokens;
  flow.output_tokens = window.output_tokens;
  flow.prompt_cv = shape.prompt_cv;
  flow.output_cv = shape.output_cv;
  TokenLoadOptions options;
  options.seed += number;
  const std::int64_t more =
      std::min(kMostMore, 20 + static_cast<std::int64_t>(std::ceil(2 * under_way(window))));
  return {token_load({flow}, LoadGrowth::rate, options), window.requests_per_s,
          kComparedRequests + 2 * more, static_cast<std::size_t>(more)};
}

struct MeanLatencies {
  double ttft_ms = std::numeric_limits<double>::quiet_NaN();
  double tpot_ms = std::numeric_limits<double>::quiet_NaN();
};

MeanLatencies means_of(const RequestTable& rows, std::size_t first) {
  const std::size_t last =
      std::min(rows.size(), first + static_cast<std::size_t>(kComparedRequests));
  double ttft_ms = 0;
  double answered = 0;
  double gaps_ms = 0;
  double gaps = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (!is_completed(rows.outcome[i])) continue;
    ttft_ms += to_ms(rows.ttft[i]);
    answered += 1;
    gaps_ms += to_ms(rows.itl_sum[i]);
    gaps += rows.itl_count[i];
  }
  MeanLatencies means;
  if (answered > 0) means.ttft_ms = ttft_ms / answered;
  if (gaps > 0) means.tpot_ms = gaps_ms / gaps;
  return means;
}

MeanLatencies simulated(const WindowTraffic& traffic, const Deployment& deployment,
                        const Semantics& semantics) {
  SimulationOptions options;
  options.semantics = semantics;
  const auto load = traffic.load(traffic.requests_per_s, traffic.requests);
  if (!load) return {};
  Simulation simulation(deployment, *load->source, options);
  simulation.advance();
  return means_of(simulation.take_record().requests, traffic.first);
}

void add_windows(const std::vector<MeasuredWindow>& windows, Experiment* out) {
  const auto n = static_cast<double>(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const MeasuredWindow& window = windows[i];
    const auto number = static_cast<std::int64_t>(i);
    if (window.ttft_ms)
      out->observations.push_back({Measure::ttft, *window.ttft_ms, number, number});
    if (window.tpot_ms)
      out->observations.push_back({Measure::tpot, *window.tpot_ms, number, number});
    out->prompt_tokens += window.prompt_tokens / n;
    out->load += under_way(window) / n;
  }
}

}  // namespace

Result<Experiment> experiment_of(const LatencyWindows& measured, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source) {
  if (deployment.splits()) {
    return fail(ErrorKind::usage,
                "prefill and decode are apart: the latencies of " + source +
                    " do not say how long a step of one engine is",
                "calibrate with an engine that does both");
  }
  Experiment out;
  out.source = source;
  out.base = deployment.main().step_time;
  const std::vector<MeasuredWindow> windows = of_every_load(measured.windows);
  if (windows.size() < measured.windows.size()) {
    out.notes.push_back("of " + counted(std::ssize(measured.windows), "window") + ", " +
                        grouped(std::ssize(windows)) + " of all loads are compared");
  }
  add_windows(windows, &out);
  Deployment one = deployment;
  one.pools = {deployment.main()};
  one.main().num_instances = 1;
  std::vector<WindowTraffic> traffics;
  for (std::size_t i = 0; i < windows.size(); ++i)
    traffics.push_back(traffic_of(windows[i], measured.shape, i));
  out.predict = [one, semantics, traffics, windows](StepTimePtr step_time) {
    Deployment corrected = one;
    corrected.main().step_time = std::move(step_time);
    std::vector<double> ms;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const MeanLatencies means = simulated(traffics[i], corrected, semantics);
      if (windows[i].ttft_ms) ms.push_back(means.ttft_ms);
      if (windows[i].tpot_ms) ms.push_back(means.tpot_ms);
    }
    return ms;
  };
  return out;
}

}  // namespace plimsoll
