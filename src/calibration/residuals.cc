#include "calibration/residuals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/lists.h"
#include "random/portable_math.h"
#include "stats/average.h"
#include "stats/percentile.h"

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

constexpr double kModelError = 0.15;
constexpr double kLeastScale = 0.05;
constexpr double kNoBound = -1e12;
// The client's share of a request in other measurements: docs/explanation/latency-models.md.
constexpr double kClientUsPerRequest = 5000;
constexpr double kClientUsPerPromptToken = 5;
constexpr std::int64_t kUsualBatch = 32;
constexpr std::int64_t kUsualContext = 1024;

std::size_t number_of(double Correction::*field) {
  const auto& terms = correction_terms();
  const auto at =
      std::ranges::find_if(terms, [=](const CorrectionTerm& term) { return term.field == field; });
  return static_cast<std::size_t>(at - terms.begin());
}

bool any_seen_by_client(const std::vector<Experiment>& experiments) {
  return std::ranges::any_of(experiments, [](const Experiment& e) { return e.seen_by_client; });
}

double median_us(const std::vector<Experiment>& experiments, Measure what) {
  std::vector<double> values;
  for (const Experiment& experiment : experiments) {
    for (const MeasuredLatency& o : experiment.observations) {
      if (o.what == what) values.push_back(1000 * o.measured_ms);
    }
  }
  return Percentiles<double>(std::move(values)).at(50);
}

// What a client adds is never negative. `wide`: so many times as uncertain.
void add_client(bool few, double wide, Prior* prior) {
  const auto add = [&](double Correction::*field, double usual) {
    prior->free.push_back({number_of(field), 0, wide * usual, 0, 0, 1 / wide});
  };
  add(&Correction::request_us, kClientUsPerRequest);
  if (!few) add(&Correction::prompt_token_us, kClientUsPerPromptToken);
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
    StepTimePtr base = experiment.base;
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

std::vector<double> Prior::start() const {
  return mapped(free,
                [](const PriorTerm& term) { return (term.start - term.mean) / term.deviation; });
}

Correction Prior::correction(const std::vector<double>& x) const {
  Correction out;
  for (std::size_t i = 0; i < free.size(); ++i) {
    out.*correction_terms()[free[i].number].field = free[i].mean + x[i] * free[i].deviation;
  }
  return out;
}

std::vector<double> Prior::within_bounds(std::vector<double> x) const {
  for (std::size_t i = 0; i < free.size(); ++i) {
    x[i] = std::max(x[i], (free[i].least - free[i].mean) / free[i].deviation);
  }
  return x;
}

Prior prior_of_correction(const std::vector<Experiment>& experiments, bool few, double factor) {
  const double scale = std::max(factor, kLeastScale);
  Prior prior;
  prior.free.push_back(
      {number_of(&Correction::scale), scale, kModelError * scale, scale, kLeastScale, 0.7});
  if (!few) {
    BatchShape decodes;
    decodes.decode_requests = kUsualBatch;
    decodes.decode_context = kUsualBatch * kUsualContext;
    BatchShape prompt;
    prompt.add_prefill(kUsualContext, 0, kUsualContext);
    const StepTimeModel& base = *experiments.front().base;
    const double step_us = kModelError * scale * base.step_us(decodes);
    const double prompt_us = kModelError * scale * base.step_us(prompt);
    const auto add = [&](double Correction::*field, double deviation, double least) {
      prior.free.push_back({number_of(field), 0, deviation, 0, least, 1});
    };
    add(&Correction::step_us, step_us, kNoBound);
    // A request that took less than nothing would make batches that were not measured nearly free.
    add(&Correction::decode_us, step_us / static_cast<double>(kUsualBatch), 0);
    add(&Correction::prefill_us, prompt_us / static_cast<double>(kUsualContext), 0);
  }
  if (any_seen_by_client(experiments)) add_client(few, 1, &prior);
  return prior;
}

Prior prior_of_law(const std::vector<Experiment>& experiments, double share) {
  const double tpot = median_us(experiments, Measure::tpot);
  const double step = std::max(tpot, median_us(experiments, Measure::step));
  const double ttft = median_us(experiments, Measure::ttft);
  const double step_us = step > 0 ? step : ttft;
  double tokens = 1;
  double load = 1;
  for (const Experiment& e : experiments) {
    tokens = std::max(tokens, e.prompt_tokens);
    load = std::max(load, e.load);
  }
  const double prompt_us = std::max(ttft, step_us) / tokens;
  Prior prior;
  // Wide, and started low: an overloaded simulation tells little.
  const auto add = [&](double Correction::*field, double usual, double started) {
    prior.free.push_back({number_of(field), 0, 10 * usual, started * usual, 0, 0.015});
  };
  add(&Correction::step_us, step_us, share);
  add(&Correction::decode_us, step_us / load, (1 - share) / 5);
  add(&Correction::prefill_us, prompt_us, 0.1);
  if (any_seen_by_client(experiments)) add_client(false, 10, &prior);
  return prior;
}

}  // namespace plimsoll
