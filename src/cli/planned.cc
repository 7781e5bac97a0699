#include "cli/planned.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/calibrated.h"
#include "cli/load_maker.h"
#include "cli/policy_bundle.h"
#include "cli/setup.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "perf/model_size.h"
#include "planner/rate_bound.h"
#include "profile/profile.h"
#include "report/answer/next_steps.h"

namespace plimsoll {
namespace {

// What a candidate decides, and what a plan asks for in its own way.
bool is_varied(std::string_view flag) {
  constexpr std::string_view kVaried[]{"--hardware",      "--tp",   "--pp",          "--dp",
                                       "--num-instances", "--rate", "--calibration", "--profile",
                                       "--telemetry"};
  return std::ranges::count(kVaried, flag) > 0;
}

bool is_of_run(const Flag& flag) {
  return find_verb("run")->has(flag.group) && !decides_nothing(flag.group);
}

std::string name_of_flag(const std::string& word) { return word.substr(0, word.find('=')); }

bool is_same_gpu(const std::string& a, const std::string& b) {
  const auto known_a = find_gpu(a, SemanticsMode::vllm);
  const auto known_b = find_gpu(b, SemanticsMode::vllm);
  return known_a && known_b && known_a->name == known_b->name;
}

std::vector<std::string> flags_of(const Candidate& c) {
  std::vector<std::string> flags{"--hardware=" + c.gpu, "--tp=" + std::to_string(c.tp)};
  const auto add = [&](const char* flag, std::int64_t value) {
    if (value > 0) flags.push_back(std::string(flag) + "=" + std::to_string(value));
  };
  if (c.pp > 1) add("--pp", c.pp);
  if (c.dp > 1) add("--dp", c.dp);
  if (!c.batching_rule.empty()) flags.push_back("--batching-rule=" + c.batching_rule);
  add("--max-num-seqs", c.max_num_seqs);
  add("--max-num-batched-tokens", c.max_num_batched_tokens);
  if (!c.router.empty()) flags.push_back("--routing-policy=" + c.router);
  return flags;
}

}  // namespace

void Planned::say(std::string flag, const std::string& value) {
  flags_.push_back(std::move(flag) + "=" + value);
}

bool Planned::is_said(std::string_view flag) const {
  return std::ranges::any_of(flags_, [&](const std::string& f) { return name_of_flag(f) == flag; });
}

std::optional<double> Planned::number_said(std::string_view flag) const {
  const auto said =
      std::ranges::find_if(flags_, [&](const std::string& f) { return name_of_flag(f) == flag; });
  double value = 0;
  if (said == flags_.end() || !parse_double(said->substr(flag.size() + 1), &value)) return {};
  return value;
}

Result<Planned> Planned::prepare(const Command& command, const PlanRequest& request) {
  Planned planned;
  for (const Flag& flag : flags()) {
    const auto given = command.options.given.find(flag.name);
    if (given == command.options.given.end() || !is_of_run(flag) || is_varied(flag.name)) continue;
    if (!planned.is_said(flag.name)) planned.flags_.push_back(flag_word(flag, given->second));
  }
  planned.slos_ = request.slos;
  if (auto read = planned.read_prices(command.options, request); !read) return pass_on(read);
  const std::string calibration =
      command.options.calibration.empty() ? request.calibration : command.options.calibration;
  std::string model = request.model;
  std::optional<Profile> profile;
  if (!request.profile.empty() && (model.empty() || calibration.empty())) {
    auto read = read_profile(request.profile);
    if (!read) return pass_on(read);
    profile = std::move(*read);
    if (model.empty()) model = profile->model;
  }
  if (auto said = planned.say_model(model); !said) return pass_on(said);
  if (request.seed && !planned.is_said("--seed")) {
    planned.say("--seed", std::to_string(*request.seed));
  }
  if (auto said = planned.say_traffic(request); !said) return pass_on(said);
  if (!calibration.empty()) {
    if (auto taken = planned.take_calibration(calibration); !taken) return pass_on(taken);
  } else if (profile) {
    if (auto fitted = planned.fit(*profile, request, command.options); !fitted)
      return pass_on(fitted);
  }
  if (auto looked = planned.look_at_traffic(command.options); !looked) return pass_on(looked);
  return planned;
}

// What is wrong with it is no fault of any candidate.
Result<void> Planned::look_at_traffic(const Options& asked) {
  auto options = options_of_run(flags_);
  if (!options) return pass_on(options);
  auto traffic = scalable_traffic(*options, model_);
  if (!traffic) return pass_on(traffic);
  print_notes(asked, notes_on_length(*options, model_, *traffic, slos_));
  auto shape = token_shape(traffic->load);
  if (!shape) return pass_on(shape);
  shape_ = std::move(*shape);
  return {};
}

Result<void> Planned::read_prices(const Options& options, const PlanRequest& request) {
  auto prices = PriceBook::read(options, request.economics.price_file);
  if (!prices) return pass_on(prices);
  prices_ = std::move(*prices);
  cold_start_s_ = request.economics.cold_start_s;
  if (request.economics.growth_per_minute > 0 && !cold_start_s_) {
    assumed_.emplace_back("cold start: weights at 0.5 GB/s and 90 s");
  }
  return {};
}

// Flags come before `model`.
Result<void> Planned::say_model(const std::string& model) {
  if (!is_said("--model") && !is_said("--model-config")) {
    if (model.empty()) {
      return fail(ErrorKind::usage, "a plan needs a model",
                  "--model, or \"model\" or \"profile\" in the request");
    }
    say("--model", model);
  }
  for (const std::string& flag : flags_) {
    const std::string name = name_of_flag(flag);
    if (name == "--model" || name == "--model-config") model_ = flag.substr(name.size() + 1);
  }
  return {};
}

Result<void> Planned::take_calibration(const std::string& file) {
  auto read = read_calibration(file);
  if (!read) return pass_on(read);
  calibration_ = std::move(*read);
  calibration_flags_ = {"--calibration=" + file};
  const std::string why = why_not_better(*calibration_);
  provenance_.push_back(fmt::format("{}: calibrated, {}{}", calibration_->gpu,
                                    describe(*calibration_),
                                    why.empty() ? "" : "; not shown to be better: " + why));
  return {};
}

Result<void> Planned::fit(const Profile& profile, const PlanRequest& request,
                          const Options& asked) {
  std::string model;
  for (const std::string& flag : flags_) {
    if (name_of_flag(flag) == "--model") model = flag.substr(flag.find('=') + 1);
  }
  auto fitted = fit_profile(profile, request.telemetry, model);
  if (!fitted) return pass_on(fitted);
  print_notes(asked, fitted->notes);
  if (!fitted->calibration) {
    provenance_.push_back(fitted->gpu + ": by the catalog; " + fitted->why_unused);
    print_notes(asked, {"step times are those of the catalog: " + fitted->why_unused});
    return {};
  }
  calibration_ = std::move(fitted->calibration);
  calibration_flags_ = {"--profile=" + request.profile};
  if (!request.telemetry.empty()) calibration_flags_.push_back("--telemetry=" + request.telemetry);
  provenance_.push_back(
      fmt::format("{}: measured, {}", calibration_->gpu, describe(*calibration_)));
  return {};
}

std::string Planned::extrapolation(const Candidate& candidate) const {
  if (!calibration_) return {};
  if (!is_same_gpu(calibration_->gpu, candidate.gpu)) {
    return fmt::format("{} by the catalog, not by what was measured on {}", candidate.gpu,
                       calibration_->gpu);
  }
  const Parallelism& measured = calibration_->layout;
  Candidate known;
  known.tp = measured.tp;
  known.pp = measured.pp;
  known.dp = measured.dp;
  const std::string layout = describe_layout(known);
  return layout == describe_layout(candidate) ? "" : "measured at " + layout;
}

std::optional<std::string> Planned::calibration_text(const Candidate& candidate) const {
  const bool fitted = calibration_ && name_of_flag(calibration_flags_.front()) != "--calibration";
  if (!fitted || !is_same_gpu(calibration_->gpu, candidate.gpu)) return {};
  return plimsoll::calibration_text(*calibration_);
}

std::vector<std::string> Planned::assumed_of(const std::vector<std::string>& flags) const {
  constexpr std::string_view kShown[]{
      "latency-model",  "max-model-len",          "max-num-seqs",   "max-num-batched-tokens",
      "routing-policy", "gpu-memory-utilization", "total-kv-blocks"};
  std::vector<std::string> assumed;
  auto options = options_of_run(flags);
  if (!options) return assumed;
  auto setup = make_setup(*options);
  if (!setup) return assumed;
  for (const auto* entries : {&setup->config, &setup->limits}) {
    for (const ConfigEntry& entry : *entries) {
      const bool shown = std::ranges::count(kShown, entry.key) > 0;
      if (shown && entry.origin != "flag") assumed.push_back(entry_text(entry));
    }
  }
  if (!is_said("--seed")) assumed.push_back(fmt::format("seed {}", options->seed));
  return assumed;
}

Result<Deployed> Planned::deploy(const Candidate& candidate) const {
  std::vector<std::string> flags = flags_;
  for (std::string& flag : flags_of(candidate)) {
    std::erase_if(flags,
                  [&](const std::string& f) { return name_of_flag(f) == name_of_flag(flag); });
    flags.push_back(std::move(flag));
  }
  auto options = options_of_run(flags);
  if (!options) return pass_on(options);
  if (calibration_ && is_same_gpu(calibration_->gpu, candidate.gpu)) {
    options->fitted = std::make_shared<const Calibration>(*calibration_);
    flags.insert(flags.end(), calibration_flags_.begin(), calibration_flags_.end());
  }
  auto setup = make_setup(*options);
  if (!setup) return pass_on(setup);
  auto traffic = scalable_traffic(*options, setup->model);
  if (!traffic) return pass_on(traffic);
  Deployed deployed;
  deployed.system = {setup->deployment, semantics_of(*options), slos_, traffic->load,
                     setup->work,       traffic->other_loads};
  deployed.estimate = estimate_capacity(*setup->deployment.step_time, setup->deployment.engine,
                                        shape_, strictest_gap(slos_));
  deployed.most_rps = most_rps(*setup->deployment.step_time, setup->deployment.engine, shape_);
  deployed.offers = prices_.offers_for(setup->gpu);
  deployed.cold_start_s =
      cold_start_s_.value_or(assumed_cold_start_s(stored_weight_bytes(setup->architecture)));
  deployed.model_error = setup->model_error;
  deployed.tdp_w = setup->tdp_w;
  deployed.max_num_seqs = setup->max_num_seqs;
  deployed.flags = std::move(flags);
  return deployed;
}

}  // namespace plimsoll
