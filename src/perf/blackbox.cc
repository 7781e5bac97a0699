#include "perf/blackbox.h"

#include <array>
#include <cmath>

#include "base/text.h"

namespace plimsoll {
namespace {

Result<bool> check(const std::vector<double>& values, std::size_t min, const std::string& flag,
                   const char* model_name) {
  if (values.size() < min) {
    return fail(ErrorKind::usage, std::string("the ") + model_name +
                                      " latency model needs at least " + std::to_string(min) +
                                      " values in " + flag + ", got " +
                                      std::to_string(values.size()));
  }
  for (const double value : values) {
    if (std::isfinite(value) && value >= 0) continue;
    return fail(ErrorKind::usage,
                "values in " + flag + " must be finite and not negative, got " + shortest(value));
  }
  return true;
}

constexpr std::size_t kCount = 3;

class Blackbox final : public StepTimeModel {
 public:
  explicit Blackbox(const Coefficients& fitted)
      : alpha_{fitted.alpha[0], fitted.alpha[1], fitted.alpha[2]},
        beta_{fitted.beta[0], fitted.beta[1], fitted.beta[2]} {}

  double step_us(const BatchShape& batch) const override {
    return beta_[0] + beta_[1] * static_cast<double>(batch.prefill_tokens) +
           beta_[2] * static_cast<double>(batch.decode_requests);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return alpha_[0] + alpha_[1] * static_cast<double>(input_tokens);
  }
  double output_token_us() const override { return alpha_[2]; }

 private:
  std::array<double, kCount> alpha_;
  std::array<double, kCount> beta_;
};

}  // namespace

Result<Coefficients> checked_coefficients(const Coefficients& coefficients, std::size_t min_alpha,
                                          std::size_t min_beta, const char* model_name) {
  TRY_TO(check(coefficients.alpha, min_alpha, "--alpha-coeffs", model_name));
  TRY_TO(check(coefficients.beta, min_beta, "--beta-coeffs", model_name));
  return coefficients;
}

Result<StepTimePtr> make_blackbox(const Coefficients& fitted) {
  TRY(usable, checked_coefficients(fitted, kCount, kCount, "blackbox"));
  if (fitted.alpha.size() > kCount || fitted.beta.size() > kCount) {
    return fail(ErrorKind::usage,
                "the blackbox latency model takes three values each in --alpha-coeffs and "
                "--beta-coeffs",
                "longer lists belong to --latency-model trained-physics");
  }
  return std::make_shared<const Blackbox>(usable);
}

}  // namespace plimsoll
