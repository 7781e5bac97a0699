#include <algorithm>

#include "stats/steady_state.h"

namespace plimsoll {
namespace {

// Integrates a step function over cells of equal width: a step up or down in a cell counts for the
// rest of that cell, and in full for all later ones.
class CellIntegral {
 public:
  CellIntegral(Duration span, std::size_t cells)
      : width_(static_cast<double>(span.ns) / static_cast<double>(cells)),
        share_(cells, 0),
        steps_(cells, 0) {}

  void step(Duration since_start, int by) {
    const double position = static_cast<double>(since_start.ns) / width_;
    const auto cell = static_cast<std::size_t>(position);
    if (cell >= share_.size()) return;
    share_[cell] += by * (static_cast<double>(cell + 1) - position);
    steps_[cell] += by;
  }

  std::vector<double> averages() const {
    std::vector<double> result(share_.size());
    std::int64_t level = 0;
    for (std::size_t i = 0; i < share_.size(); ++i) {
      result[i] = static_cast<double>(level) + share_[i];
      level += steps_[i];
    }
    return result;
  }

 private:
  double width_;
  std::vector<double> share_;
  std::vector<std::int64_t> steps_;
};

}  // namespace

ArrivalSpan arrival_span(const ObservedRun& run) {
  if (run.arrival.empty()) return {};
  const auto past_end = std::upper_bound(run.arrival.begin(), run.arrival.end(), run.end);
  const auto requests = static_cast<std::size_t>(past_end - run.arrival.begin());
  if (requests == 0) return {};
  return {run.arrival.front(), run.arrival[requests - 1], requests};
}

std::vector<double> work_in_system(const ObservedRun& run, std::size_t cells) {
  const ArrivalSpan span = arrival_span(run);
  if (span.length() <= Duration{}) return std::vector<double>(cells, 0);
  CellIntegral work(span.length(), cells);
  for (std::size_t i = 0; i < span.requests; ++i) {
    if (run.stay[i] != Stay::finished && run.stay[i] != Stay::inside) continue;
    const Duration arrived = run.arrival[i] - span.first;
    work.step(arrived, +1);
    if (run.stay[i] == Stay::finished) work.step(arrived + run.residence[i], -1);
  }
  return work.averages();
}

}  // namespace plimsoll
