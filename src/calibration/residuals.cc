#include "calibration/residuals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "perf/calibrated_step_time.h"
#include "random/portable_math.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kHeldOutOf = 3;    // every third block
constexpr double kWorst = 3;              // a factor of 20
constexpr double kMadOfNormal = 1.4826;   // standard deviation / median absolute deviation
constexpr double kMedianOfMean = 1.2533;  // deviation of a median / of a mean, of normal values
// No clock and no sample is better than this. Few cells cannot show how far apart they may lie.
constexpr double kLeastDeviation = 0.003;
constexpr double kLeastDeviationOfFew = 0.03;
constexpr std::size_t kFewCells = 5;

double robust_deviation(std::vector<double> values) {
  for (double& v : values) v = std::abs(v);
  return kMadOfNormal * median_of(std::move(values));
}

}  // namespace

Residuals::Residuals(const std::vector<Experiment>& experiments, bool correct_base)
    : experiments_(experiments), correct_base_(correct_base) {
  std::int64_t blocks = 0;
  std::map<std::tuple<std::size_t, Measure, std::int64_t>, Cell> cells;
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    std::int64_t last = -1;
    for (const MeasuredLatency& o : experiments[e].observations) {
      const bool held_out = (blocks + o.block) % kHeldOutOf == kHeldOutOf - 1;
      if (!held_out) {
        Cell& cell = cells[{e, o.what, o.cell}];
        cell.what = o.what;
        cell.members.push_back(facts_.size());
        ++fitted_;
      }
      facts_.push_back({o.what, held_out});
      last = std::max(last, o.block);
    }
    blocks += last + 1;
  }
  for (auto& [key, cell] : cells) cells_.push_back(std::move(cell));
}

std::vector<double> Residuals::at(const Correction& correction) const {
  std::vector<double> out;
  for (const Experiment& experiment : experiments_) {
    std::shared_ptr<const StepTimeModel> base = experiment.base;
    if (!correct_base_) base = std::make_shared<NoStepTime>();
    const Correction seen = experiment.seen_by_client ? correction : without_client(correction);
    const std::vector<double> predicted =
        experiment.predict(std::make_shared<CalibratedStepTime>(std::move(base), seen));
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double ratio = predicted[i] / experiment.observations[i].measured_ms;
      const bool usable = ratio > 0 && std::isfinite(ratio);
      out.push_back(usable ? std::clamp(portable_log(ratio), -kWorst, kWorst) : kWorst);
    }
  }
  return out;
}

std::vector<double> Residuals::by_cell(const std::vector<double>& residuals) const {
  std::vector<double> out;
  for (const Cell& cell : cells_) {
    std::vector<double> values;
    for (const std::size_t i : cell.members) values.push_back(residuals[i]);
    out.push_back(median_of(std::move(values)));
  }
  return out;
}

std::vector<double> Residuals::deviations(const std::vector<double>& residuals) const {
  const std::vector<double> medians = by_cell(residuals);
  std::vector<double> out(cells_.size(), 1);
  for (const Measure what : kMeasures) {
    const double within = scatter_within(what, residuals);
    std::vector<double> of_kind;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].what == what) of_kind.push_back(medians[c]);
    }
    const double middle = median_of(of_kind);
    std::vector<double> standard;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].what != what) continue;
      const auto n = static_cast<double>(cells_[c].members.size());
      const double least = of_kind.size() < kFewCells ? kLeastDeviationOfFew : kLeastDeviation;
      out[c] = std::max(least, kMedianOfMean * within / std::sqrt(n));
      standard.push_back((medians[c] - middle) / out[c]);
    }
    const double birge = std::max(1.0, robust_deviation(std::move(standard)));
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].what == what) out[c] *= birge;
    }
  }
  return out;
}

double Residuals::scatter_within(Measure what, const std::vector<double>& residuals) const {
  const std::vector<double> medians = by_cell(residuals);
  std::vector<double> distances;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (cells_[c].what != what || cells_[c].members.size() < 2) continue;
    for (const std::size_t i : cells_[c].members) distances.push_back(residuals[i] - medians[c]);
  }
  return robust_deviation(std::move(distances));
}

}  // namespace plimsoll
