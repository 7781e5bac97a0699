#include "setup/planned.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/served_as.h"
#include "perf/model_size.h"
#include "profile/profile.h"
#include "setup/calibrated.h"
#include "setup/chosen_model.h"
#include "setup/chosen_speculation.h"
#include "setup/fleet_file.h"
#include "setup/load_maker.h"
#include "setup/mixed_pools.h"
#include "setup/setup.h"
#include "setup/traffic.h"

namespace plimsoll {
namespace {

bool is_same_gpu(const std::string& a, const std::string& b) {
  const auto known_a = find_gpu(a, SemanticsMode::vllm);
  const auto known_b = find_gpu(b, SemanticsMode::vllm);
  return known_a && known_b && known_a->name == known_b->name;
}

// The rate of a plan is sent whatever the specification says of it, where it says something else.
std::vector<std::string> notes_on_rate(const RunSpec& run, const ScalableTraffic& traffic,
                                       const std::optional<double>& wanted_rps) {
  constexpr double kAlike = 0.05;  // of a finite draw
  const std::string& spec = run.traffic.workload_spec;
  if (spec.empty() || traffic.natural_rps <= 0) return {};
  if (!wanted_rps) {
    return {fmt::format(
        "{} sends {} req/s on average; the plan says what each deployment serves for its price: "
        "--rate {} plans for that rate",
        spec, three_digits(traffic.natural_rps),
        shortest(std::round(1e3 * traffic.natural_rps) / 1e3))};
  }
  if (std::fabs(*wanted_rps / traffic.natural_rps - 1) < kAlike) return {};
  return {
      fmt::format("{} sends {} req/s on average; the plan is for {} req/s, to which its arrivals "
                  "are scaled",
                  spec, three_digits(traffic.natural_rps), plain(*wanted_rps))};
}

}  // namespace

Result<Planned> Planned::prepare(const RunSpec& asked, const PriceSpec& prices,
                                 const PlanRequest& request) {
  Planned planned;
  planned.run_ = asked;
  // What a candidate decides, and what a plan asks for in its own way.
  planned.run_.hardware.gpu = HardwareSpec().gpu;
  planned.run_.layout.tp.reset();
  planned.run_.layout.pp = LayoutSpec().pp;
  planned.run_.layout.dp = LayoutSpec().dp;
  planned.run_.layout.expert_parallel = LayoutSpec().expert_parallel;
  planned.run_.cluster.num_instances = ClusterSpec().num_instances;
  planned.run_.traffic.rate_rps = TrafficSpec().rate_rps;
  for (std::string StepTimeSpec::*file :
       {&StepTimeSpec::calibration, &StepTimeSpec::profile, &StepTimeSpec::telemetry}) {
    (planned.run_.step_time.*file).clear();
  }
  planned.slos_ = request.slos;
  planned.space_ = request.space;
  TRY_TO(planned.read_prices(prices, request));
  const std::string& calibration =
      asked.step_time.calibration.empty() ? request.calibration : asked.step_time.calibration;
  std::string model = request.model;
  std::optional<Profile> profile;
  if (!request.profile.empty() && (model.empty() || calibration.empty())) {
    TRY_SET(profile, read_profile(request.profile));
    if (model.empty()) model = profile->model;
  }
  if (model.empty() && !calibration.empty()) {
    TRY(measured, read_calibration(calibration));
    model = measured.model;
  }
  TRY_TO(planned.say_model(model));
  TRY_TO(planned.tell_stored_weights());
  if (!planned.run_.speculation.preset.empty()) {
    TRY(chosen, choose_model(planned.run_.model));
    planned.note(notes_on_preset(planned.run_, chosen.config));
  }
  Setting<std::int64_t>& seed = planned.run_.traffic.seed;
  if (request.seed && !seed.is_asked()) seed = *request.seed;
  planned.say_traffic(request);
  if (!calibration.empty()) {
    TRY_TO(planned.take_calibration(calibration));
  } else if (profile) {
    TRY_TO(planned.fit(*profile, request));
  }
  TRY_TO(planned.look_at_traffic(request.rate_rps));
  planned.add_routers(request);
  return planned;
}

void Planned::note(const std::vector<std::string>& more) { append(&notes_, more); }

// What is wrong with it is no fault of any candidate.
Result<void> Planned::look_at_traffic(const std::optional<double>& wanted_rps) {
  if (run_.traffic.concurrency > 0) return refuse_closed_loop();
  TRY(traffic, scalable_traffic(run_, model_));
  note(notes_on_rate(run_, traffic, wanted_rps));
  slos_ = limits_of(traffic, std::move(slos_), &notes_);
  note(notes_on_length(run_, traffic, requests_wanted(run_, model_, traffic, slos_)));
  finite_ = traffic.finite;
  seed_ = traffic.seed;
  traffic_config_ = std::move(traffic.config);
  TRY_SET(shape_, token_shape(traffic.load));
  load_ = std::move(traffic.load);
  other_loads_ = std::move(traffic.other_loads);
  return {};
}

Result<void> Planned::read_prices(const PriceSpec& prices, const PlanRequest& request) {
  TRY_SET(prices_, PriceBook::read(prices, run_.hardware, request.economics.price_file));
  cold_start_s_ = request.economics.cold_start_s;
  if (request.economics.growth_per_minute > 0 && !cold_start_s_) {
    assumed_.emplace_back("cold start: weights at 0.5 GB/s and 90 s");
  }
  return {};
}

// What is asked comes before `model`.
Result<void> Planned::say_model(const std::string& model) {
  ModelSpec& asked = run_.model;
  if (asked.id->empty() && asked.config.empty()) {
    if (model.empty()) {
      return fail(ErrorKind::usage, "a plan needs a model",
                  "give --model, a request with a \"model\" or a \"profile\", or --calibration");
    }
    asked.id = model;
  }
  model_ = asked.config.empty() ? *asked.id : asked.config;
  return {};
}

// A format that the checkpoint has already is no choice beside it.
Result<void> Planned::tell_stored_weights() {
  if (space_.quantizations.empty()) return {};
  ModelSpec as_stored = run_.model;
  as_stored.quantization.clear();
  TRY(stored, choose_model(as_stored));
  std::vector<std::string> told;
  const bool is_choice = space_.quantizations.size() > 1;
  for (const std::string& format : space_.quantizations) {
    // What a checkpoint with fewer bits is not served in, each candidate says.
    const bool is_stored =
        !is_narrower(stored.config, format) && served_as(stored.config, format) == stored.config;
    if (is_stored && format != kAsStored && is_choice)
      note({fmt::format("{} is stored in a format as narrow as {}, which is planned once, as {}",
                        model_, format, kAsStored)});
    add_once(&told, is_stored ? std::string(kAsStored) : format);
  }
  space_.quantizations = std::move(told);
  return {};
}

// Which of them needs the fewest instances depends on how long the history of a conversation is, on
// how unevenly hashes spread conversations, and on how full caches are.
void Planned::add_routers(const PlanRequest& request) {
  const bool is_free = space_.routers.empty() && !run_.cluster.router.is_asked();
  const bool keeps_history = shape_.later_rounds > 0 && !run_.engine.no_prefix_caching;
  if (!is_free || !keeps_history || !request.may_have_several()) return;
  space_.routers = {"", "session-affinity", "weighted"};
  assumed_.emplace_back(
      "also routing-policy session-affinity and weighted, as rounds of conversations return");
}

Result<void> Planned::take_calibration(const std::string& file) {
  TRY(read, read_calibration(file));
  calibration_ = std::make_shared<const Calibration>(std::move(read));
  calibrated_.calibration = file;
  const std::string why = why_not_better(*calibration_);
  provenance_.push_back(fmt::format("{}: calibrated, {}{}", calibration_->gpu,
                                    describe(*calibration_),
                                    why.empty() ? "" : "; not shown to be better: " + why));
  return {};
}

Result<void> Planned::fit(const Profile& profile, const PlanRequest& request) {
  TRY(fitted, fit_profile(profile, request.telemetry, run_.model.id, run_.step_time.engine));
  note(fitted.notes);
  if (!fitted.calibration) {
    provenance_.push_back(fitted.gpu + ": by the catalog; " + fitted.why_unused);
    note({"step times are those of the catalog: " + fitted.why_unused});
    return {};
  }
  calibration_ = std::make_shared<const Calibration>(std::move(*fitted.calibration));
  calibrated_.profile = request.profile;
  calibrated_.telemetry = request.telemetry;
  provenance_.push_back(
      fmt::format("{}: measured, {}", calibration_->gpu, describe(*calibration_)));
  return {};
}

bool Planned::is_fitted_for(const Candidate& candidate) const {
  return calibration_ && is_same_gpu(calibration_->gpu, candidate.gpu) &&
         is_same_gpu(calibration_->gpu, candidate.gpu_of_other());
}

std::string Planned::extrapolation(const Candidate& candidate) const {
  if (!calibration_) return {};
  if (!is_fitted_for(candidate)) {
    const std::string also = candidate.other_gpu.empty() ? "" : " and " + candidate.other_gpu;
    return fmt::format("{}{} by the catalog, not by what was measured on {}", candidate.gpu, also,
                       calibration_->gpu);
  }
  const Parallelism& measured = calibration_->layout;
  Candidate known;
  known.tp = measured.tp;
  known.pp = measured.pp;
  known.dp = measured.dp;
  known.expert_parallel = measured.ep > 1;
  std::vector<std::string> others;
  if (const std::string layout = describe_layout(known); layout != describe_layout(candidate))
    others.push_back("at " + layout);
  const std::string& weights = calibration_->quantization;
  if (empty_if_stored(candidate.quantization) != weights)
    others.push_back("with " + (weights.empty() ? "stored" : weights) + " weights");
  return others.empty() ? "" : "measured " + join(others, ", ");
}

std::optional<std::string> Planned::calibration_text(const Candidate& candidate) const {
  if (calibrated_.profile.empty() || !is_fitted_for(candidate)) return {};
  return plimsoll::calibration_text(*calibration_);
}

std::vector<ConfigEntry> Planned::assumed_of(const Candidate& candidate) const {
  constexpr std::string_view kShown[]{
      "kv-cache-dtype",         "latency-model",  "max-model-len",          "max-num-seqs",
      "max-num-batched-tokens", "routing-policy", "gpu-memory-utilization", "total-kv-blocks"};
  std::vector<ConfigEntry> assumed;
  auto setup = make_setup(spec_of(candidate));
  if (!setup) return assumed;
  for (const auto* entries : {&setup->config, &setup->limits}) {
    for (const ConfigEntry& entry : *entries) {
      const bool shown = contains(kShown, entry.key);
      if (shown && entry.origin != "flag") assumed.push_back(entry);
    }
  }
  const Setting<std::int64_t>& seed = run_.traffic.seed;
  if (!seed.is_asked()) assumed.push_back({"seed", *seed, "default"});
  return assumed;
}

RunSpec Planned::spec_of(const Candidate& c) const {
  RunSpec run = run_;
  if (c.mixes()) {
    run.fleet.pools = pools_of_mix(c, std::max<std::int64_t>(1, c.replicas));
    run.fleet.file = fleet_in_line(run.fleet.pools);
  } else {
    run.hardware.gpu = c.gpu;
    run.layout.tp = c.tp;
    if (c.pp > 1) run.layout.pp = c.pp;
    if (c.dp > 1) run.layout.dp = c.dp;
    if (c.expert_parallel && !c.other_expert_parallel) run.layout.expert_parallel = true;
  }
  run.model.quantization = empty_if_stored(c.quantization);
  // A candidate that was opened says what the rule has by itself, too.
  if (!space_.batching_rules.empty()) run.engine.batching_rule = c.batching_rule;
  if (!space_.max_num_seqs.empty()) run.engine.max_num_seqs = c.max_num_seqs;
  if (c.max_num_batched_tokens > 0) run.engine.max_num_batched_tokens = c.max_num_batched_tokens;
  if (!c.router.empty()) run.cluster.router = c.router;
  if (c.splits()) {
    run.split.prefill.instances = c.prefill;
    run.split.decode.instances = c.decode;
    if (!c.other_gpu.empty()) run.split.prefill.gpu = c.other_gpu;
    if (c.other_tp > 0) run.split.prefill.tp = c.other_tp;
    if (c.other_dp > 0) run.split.prefill.dp = c.other_dp;
    if (c.other_expert_parallel) {
      (c.expert_parallel ? run.split.decode_expert_parallel : run.split.prefill_expert_parallel) =
          true;
    }
    run.split.decider = c.pd_decider;
    if (!c.pd_link.empty()) run.split.link = c.pd_link;
  } else {
    run.split = {};
  }
  if (is_fitted_for(c)) {
    run.step_time.calibration = calibrated_.calibration;
    run.step_time.profile = calibrated_.profile;
    run.step_time.telemetry = calibrated_.telemetry;
    run.step_time.fitted = calibration_;
  }
  return run;
}

Result<Deployed> Planned::deploy(const Candidate& candidate) const {
  return deploy_as(spec_of(candidate), candidate);
}

Result<Deployed> Planned::deploy_as(const RunSpec& run, const Candidate& candidate) const {
  TRY(setup, make_setup(run, steps_.get()));
  Deployed deployed;
  deployed.system = {setup.deployment, semantics_of(run), slos_, load_, other_loads_};
  if (setup.model != model_) {  // requests may name the one or the other
    TRY(traffic, scalable_traffic(run, setup.model));
    deployed.system.load = std::move(traffic.load);
    deployed.system.other_loads = std::move(traffic.other_loads);
  }
  deployed.take_arithmetic(shape_, strictest_gap(slos_));
  deployed.offers = prices_.offers_for(setup.gpu);
  if (!candidate.other_gpu.empty()) {
    const std::vector<Pool>& pools = setup.deployment.pools;
    deployed.other_offers =
        prices_.offers_for((candidate.splits() ? pools.front() : pools.back()).gpu);
  }
  deployed.cold_start_s =
      cold_start_s_.value_or(assumed_cold_start_s(stored_weight_bytes(setup.architecture)));
  deployed.model_error = deployed.system.model_error = setup.model_error;
  deployed.max_num_seqs = setup.max_num_seqs;
  return deployed;
}

}  // namespace plimsoll
