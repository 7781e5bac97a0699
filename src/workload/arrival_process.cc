#include "workload/arrival_process.h"

#include "base/text.h"
#include "random/distributions.h"

namespace plimsoll {
namespace {

// The spreads that the reference accepts. A wider gamma it replaces by Poisson arrivals with a
// warning; that would be another workload than the one asked for, so here it is an error.
constexpr double kMinCv = 0.01;
constexpr double kMaxGammaCv = 10;
constexpr double kMaxWeibullCv = 10.4;
// The same limits for shapes: a gamma distribution of shape k has cv 1/sqrt(k).
constexpr double kMinGammaShape = 0.01;
constexpr double kMaxGammaShape = 10'000;
constexpr double kMinWeibullShape = 0.1;
constexpr double kMaxWeibullShape = 100;

Result<void> check(const char* what, double value, double least, double most,
                   ArrivalProcess process) {
  if (value >= least && value <= most) return {};
  return fail(ErrorKind::usage, std::string(what) + " of " + name_of(arrival_processes(), process) +
                                    " arrivals must lie in [" + shortest(least) + ", " +
                                    shortest(most) + "], got " + shortest(value));
}

}  // namespace

Choices<ArrivalProcess> arrival_processes() {
  static constexpr Choice<ArrivalProcess> kProcesses[]{
      {"constant", ArrivalProcess::constant, "equal gaps"},
      {"poisson", ArrivalProcess::poisson, "independent arrivals: exponential gaps"},
      {"gamma", ArrivalProcess::gamma, "gamma gaps; a cv above 1 is burstier than poisson"},
      {"weibull", ArrivalProcess::weibull, "Weibull gaps; a cv above 1 is burstier than poisson"},
  };
  return kProcesses;
}

Result<void> validate(const ArrivalSpec& spec) {
  const bool gamma = spec.process == ArrivalProcess::gamma;
  if (!gamma && spec.process != ArrivalProcess::weibull) return {};
  if (spec.shape != 0) {
    return check("the shape", spec.shape, gamma ? kMinGammaShape : kMinWeibullShape,
                 gamma ? kMaxGammaShape : kMaxWeibullShape, spec.process);
  }
  return check("the coefficient of variation", spec.cv, kMinCv, gamma ? kMaxGammaCv : kMaxWeibullCv,
               spec.process);
}

double mean_gap_us(const ArrivalSpec& spec) {
  if (!(spec.shape > 0 && spec.scale_us > 0)) return 0;
  if (spec.process == ArrivalProcess::gamma) return spec.shape * spec.scale_us;
  if (spec.process == ArrivalProcess::weibull) return spec.scale_us * weibull_mean(spec.shape);
  return 0;
}

UnitGaps::UnitGaps(const ArrivalSpec& spec) : process_(spec.process) {
  if (process_ == ArrivalProcess::gamma) {
    unit_scale_ = spec.shape > 0 ? 1 / spec.shape : spec.cv * spec.cv;
    shape_ = 1 / unit_scale_;
  } else if (process_ == ArrivalProcess::weibull) {
    shape_ = spec.shape > 0 ? spec.shape : weibull_shape_for_cv(spec.cv);
    unit_scale_ = 1 / weibull_mean(shape_);
  }
}

double UnitGaps::draw(RandomStream stream) const {
  switch (process_) {
    case ArrivalProcess::constant:
      return 1;
    case ArrivalProcess::poisson:
      return draw_exponential(stream);
    case ArrivalProcess::gamma:
      return unit_scale_ * draw_gamma(stream, shape_);
    case ArrivalProcess::weibull:
      return unit_scale_ * draw_weibull(stream, shape_);
  }
  return 1;
}

// Of the gap that holds a moment chosen at random: long ones hold more moments.
double UnitGaps::draw_length_biased(RandomStream& stream) const {
  if (process_ == ArrivalProcess::gamma) return unit_scale_ * draw_gamma(stream, shape_ + 1);
  if (process_ == ArrivalProcess::weibull) {
    return unit_scale_ * draw_length_biased_weibull(stream, shape_);
  }
  return 1;
}

// The residual life of a renewal process in its steady state (Cox, Renewal Theory, 1962, ch. 5): a
// uniform share of a gap drawn by length. That of exponential gaps is exponential.
double UnitGaps::draw_first(RandomStream stream, FirstGap first) const {
  const bool ticks_alone =
      process_ == ArrivalProcess::constant && first != FirstGap::residual_in_crowd;
  if (first == FirstGap::whole || process_ == ArrivalProcess::poisson || ticks_alone) {
    return draw(stream);
  }
  const double gap = draw_length_biased(stream);
  return gap * stream.uniform();
}

}  // namespace plimsoll
