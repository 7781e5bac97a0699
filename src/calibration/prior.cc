#include "calibration/prior.h"

#include <algorithm>

#include "stats/percentile.h"

namespace plimsoll {
namespace {

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
  const auto at = std::find_if(terms.begin(), terms.end(),
                               [=](const CorrectionTerm& term) { return term.field == field; });
  return static_cast<std::size_t>(at - terms.begin());
}

bool any_seen_by_client(const std::vector<Experiment>& experiments) {
  return std::any_of(experiments.begin(), experiments.end(),
                     [](const Experiment& e) { return e.seen_by_client; });
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

// `wide`: so many times as uncertain.
void add_client(bool few, double least, double wide, Prior* prior) {
  const auto add = [&](double Correction::*field, double usual) {
    prior->free.push_back({number_of(field), 0, wide * usual, 0, least, 1 / wide});
  };
  add(&Correction::request_us, kClientUsPerRequest);
  if (!few) add(&Correction::prompt_token_us, kClientUsPerPromptToken);
}

}  // namespace

std::vector<double> Prior::start() const {
  std::vector<double> x;
  for (const PriorTerm& term : free) x.push_back((term.start - term.mean) / term.deviation);
  return x;
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

Prior prior_of_correction(const std::vector<Experiment>& experiments, bool few) {
  Prior prior;
  prior.free.push_back({number_of(&Correction::scale), 1, kModelError, 1, kLeastScale, 0.7});
  if (!few) {
    BatchShape decodes;
    decodes.decode_requests = kUsualBatch;
    decodes.decode_context = kUsualBatch * kUsualContext;
    BatchShape prompt;
    prompt.add_prefill(kUsualContext, 0, kUsualContext);
    const StepTimeModel& base = *experiments.front().base;
    const double step_us = kModelError * base.step_us(decodes);
    const double prompt_us = kModelError * base.step_us(prompt);
    const auto add = [&](double Correction::*field, double deviation) {
      prior.free.push_back({number_of(field), 0, deviation, 0, kNoBound, 1});
    };
    add(&Correction::step_us, step_us);
    add(&Correction::decode_us, step_us / static_cast<double>(kUsualBatch));
    add(&Correction::prefill_us, prompt_us / static_cast<double>(kUsualContext));
  }
  if (any_seen_by_client(experiments)) add_client(few, kNoBound, 1, &prior);
  return prior;
}

Prior prior_of_law(const std::vector<Experiment>& experiments) {
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
  add(&Correction::step_us, step_us, 0.5);
  add(&Correction::decode_us, step_us / load, 0.1);
  add(&Correction::prefill_us, prompt_us, 0.1);
  if (any_seen_by_client(experiments)) add_client(false, 0, 10, &prior);
  return prior;
}

}  // namespace plimsoll
