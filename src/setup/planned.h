// The deployments of a plan: each candidate is a specification of a run, made of what is asked of
// all and what the candidate decides, so that each recommendation can be run as it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "perf/calibration.h"
#include "planner/finite_traffic.h"
#include "planner/plan.h"
#include "setup/gpu_price.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"
#include "setup/shared_steps.h"

namespace plimsoll {

struct Profile;  // profile/profile.h

/// Makes deployments for make_plan().
class Planned {
 public:
  /// `asked`, its policies included, comes before what the request says. Fits the request's
  /// profile, if it has one. Errors are those of files and settings.
  static Result<Planned> prepare(const RunSpec& asked, const PriceSpec& prices,
                                 const PlanRequest& request);

  /// With the files that a run reads the step times from, and what was fitted to them already.
  RunSpec spec_of(const Candidate& candidate) const;

  /// All but the words of Deployed::flags.
  Result<Deployed> deploy(const Candidate& candidate) const;
  /// The same of a specification that is that candidate's but for a few settings.
  Result<Deployed> deploy_as(const RunSpec& run, const Candidate& candidate) const;

  /// The same with prompts that are so many times as long, where traffic is drawn from lengths.
  Result<Planned> with_prompts(double factor) const;

  /// The corrections fitted for the GPU of this candidate to the profile that its specification
  /// names, as the file that stands for it.
  std::optional<std::string> calibration_text(const Candidate& candidate) const;

  /// Where measured steps were given: what is not measured of this candidate; else empty.
  std::string extrapolation(const Candidate& candidate) const;

  /// The settings of this candidate's deployment that nobody gave.
  std::vector<ConfigEntry> assumed_of(const Candidate& candidate) const;

  /// The specification that all candidates have in common.
  const RunSpec& common() const { return run_; }
  /// As it was asked for.
  const std::string& model() const { return model_; }
  /// Those of the request, or what the traffic states.
  const std::vector<Slo>& slos() const { return slos_; }
  /// Those of the request, where what the checkpoint has already is kAsStored.
  const std::vector<std::string>& quantizations() const { return space_.quantizations; }
  /// Those of the request; where it has none, its traffic has conversations and a candidate may
  /// have several instances: the usual one, and two that bring rounds to what the one before left.
  const std::vector<std::string>& routers() const { return space_.routers; }
  const FiniteTraffic& traffic() const { return finite_; }  ///< where it ends
  /// Its settings, but for how much of it there is where nothing ends it.
  const std::vector<ConfigEntry>& traffic_config() const { return traffic_config_; }
  std::uint64_t seed() const { return seed_; }  ///< of the traffic
  const std::vector<std::string>& assumed() const { return assumed_; }
  const std::vector<std::string>& provenance() const { return provenance_; }
  const std::vector<std::string>& notes() const { return notes_; }  ///< for stderr

 private:
  Result<void> read_prices(const PriceSpec& prices, const PlanRequest& request);
  Result<void> say_model(const std::string& model);
  Result<void> tell_stored_weights();
  void add_routers(const PlanRequest& request);
  void say_traffic(const PlanRequest& request);
  void say_length(const std::string& key, const std::optional<AskedLength>& wanted,
                  LengthSpec* length);
  Result<void> look_at_traffic(const std::optional<double>& wanted_rps);
  Result<void> take_calibration(const std::string& file);
  Result<void> fit(const Profile& profile, const PlanRequest& request);
  bool is_fitted_for(const Candidate& candidate) const;
  void note(const std::vector<std::string>& more);

  RunSpec run_;
  std::vector<Slo> slos_;
  ConfigSpace space_;
  std::string model_;
  std::shared_ptr<const Calibration> calibration_;  ///< of one GPU; may be null
  StepTimeSpec calibrated_;                         ///< the files that a run reads it from
  /// The step times of the candidates that were deployed.
  std::shared_ptr<SharedSteps> steps_ = std::make_shared<SharedSteps>();
  FiniteTraffic finite_;
  std::vector<ConfigEntry> traffic_config_;
  std::uint64_t seed_ = 0;
  // Of the traffic, which is that of all candidates: its requests are drawn once.
  LoadMaker load_;
  std::vector<LoadMaker> other_loads_;
  TokenShape shape_;
  PriceBook prices_;
  std::optional<double> cold_start_s_;
  std::vector<std::string> assumed_;
  std::vector<std::string> provenance_;
  std::vector<std::string> notes_;
};

}  // namespace plimsoll
