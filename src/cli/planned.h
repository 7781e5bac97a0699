// The deployments of a plan as command lines of `plimsoll run`: what a candidate is, is said by the
// same flags that a user would give, so that each recommendation can be run as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/gpu_price.h"
#include "cli/parse.h"
#include "perf/calibration.h"
#include "planner/plan.h"
#include "report/plan/inputs.h"

namespace plimsoll {

struct Profile;  // profile/profile.h

/// Makes deployments for make_plan(). `command` is that of the verb `plan`; its flags come before
/// what the request says.
class Planned {
 public:
  /// Fits the request's profile, if it has one. Errors are those of files and flags.
  static Result<Planned> prepare(const Command& command, const PlanRequest& request);

  Result<Deployed> deploy(const Candidate& candidate) const;

  /// What was fitted for the GPU of this candidate to the profile that its flags name, as the file
  /// that stands for it.
  std::optional<std::string> calibration_text(const Candidate& candidate) const;

  /// Where measured steps were given: what is not measured of this candidate; else empty.
  std::string extrapolation(const Candidate& candidate) const;

  /// What no flag says of the deployment that these flags make.
  std::vector<std::string> assumed_of(const std::vector<std::string>& flags) const;

  /// All but the files.
  Result<PlanInputs> inputs() const;

  /// As it was given.
  const std::string& model() const { return model_; }
  const std::vector<std::string>& assumed() const { return assumed_; }
  const std::vector<std::string>& provenance() const { return provenance_; }

 private:
  Result<void> read_prices(const Options& options, const PlanRequest& request);
  Result<void> say_model(const std::string& model);
  Result<void> say_traffic(const PlanRequest& request);
  Result<void> look_at_traffic(const Options& asked);
  Result<void> take_calibration(const std::string& file);
  Result<void> fit(const Profile& profile, const PlanRequest& request, const Options& asked);
  void say(std::string flag, const std::string& value);
  void say_length(const std::string& flag, const AskedLength& asked);
  Result<void> assume_length(const std::string& flag);
  bool is_said(std::string_view flag) const;
  std::optional<double> number_said(std::string_view flag) const;

  std::vector<std::string> flags_;  ///< by flag_word(), common to all candidates
  std::vector<Slo> slos_;
  std::string model_;
  std::optional<Calibration> calibration_;      ///< of one GPU
  std::vector<std::string> calibration_flags_;  ///< that `run` reads the same from
  TokenShape shape_;                            ///< of the traffic, which is that of all candidates
  PriceBook prices_;
  std::optional<double> cold_start_s_;
  std::vector<std::string> assumed_;
  std::vector<std::string> provenance_;
};

}  // namespace plimsoll
