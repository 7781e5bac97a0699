#include "calibration/experiment.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kRequestsPerCell = 15;
constexpr std::size_t kMostCells = 25;

// Of the prompts that came while each decoded, its own not among them.
std::vector<double> prompts_per_second(const std::vector<Seen>& requests) {
  std::vector<std::pair<double, double>> arrivals;
  for (const Seen& r : requests) {
    arrivals.emplace_back(r.begin_s, static_cast<double>(r.prompt_tokens));
  }
  std::sort(arrivals.begin(), arrivals.end());
  std::vector<double> tokens{0};
  for (const auto& [at_s, prompt] : arrivals) tokens.push_back(tokens.back() + prompt);
  const auto until = [&](double t) {
    const auto at = std::lower_bound(arrivals.begin(), arrivals.end(), std::pair(t, 0.0));
    return tokens[static_cast<std::size_t>(at - arrivals.begin())];
  };
  std::vector<double> out;
  for (const Seen& r : requests) {
    const double length_s = r.end_s - r.first_s;
    out.push_back(length_s > 0 ? (until(r.end_s) - until(r.first_s)) / length_s : 0);
  }
  return out;
}

}  // namespace

std::string_view name_of(Measure measure) {
  switch (measure) {
    case Measure::ttft:
      return "ttft_ms";
    case Measure::tpot:
      return "tpot_ms";
    case Measure::step:
      return "step_ms";
  }
  return {};
}

std::vector<double> under_way(const std::vector<Seen>& requests) {
  std::vector<double> begins;
  std::vector<double> ends;
  for (const Seen& r : requests) {
    begins.push_back(r.begin_s);
    ends.push_back(r.end_s);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  const auto before = [](const std::vector<double>& times, double t) {
    return static_cast<double>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
  };
  std::vector<double> out;
  for (const Seen& r : requests) out.push_back(before(begins, r.begin_s) - before(ends, r.begin_s));
  return out;
}

std::vector<std::int64_t> cells_of(const std::vector<Seen>& requests, Measure what) {
  const std::vector<double> load = under_way(requests);
  std::vector<double> cause;
  if (what == Measure::tpot) {
    cause = prompts_per_second(requests);
  } else {
    for (const Seen& r : requests) cause.push_back(static_cast<double>(r.prompt_tokens));
  }
  const std::size_t n = requests.size();
  const std::size_t cells = std::clamp<std::size_t>(n / kRequestsPerCell, 1, kMostCells);
  const std::size_t by_cause = std::clamp<std::size_t>(cells / 4, 1, 5);
  const std::size_t by_load = cells / by_cause;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cause[a] < cause[b]; });
  std::vector<std::int64_t> out(n);
  for (std::size_t part = 0; part < by_cause; ++part) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(part * n / by_cause);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>((part + 1) * n / by_cause);
    std::stable_sort(begin, end, [&](std::size_t a, std::size_t b) { return load[a] < load[b]; });
    const auto size = static_cast<std::size_t>(end - begin);
    for (std::size_t i = 0; i < size; ++i) {
      out[*(begin + static_cast<std::ptrdiff_t>(i))] =
          static_cast<std::int64_t>(part * by_load + i * by_load / size);
    }
  }
  return out;
}

std::int64_t block_of(std::size_t i, std::size_t n) {
  const std::size_t blocks = std::clamp<std::size_t>(n / 20, 3, 30);
  return static_cast<std::int64_t>(i * blocks / n);
}

}  // namespace plimsoll
