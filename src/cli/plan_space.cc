#include "cli/plan_space.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/economics.h"
#include "cli/gpu_price.h"
#include "perf/calibration.h"
#include "profile/profile.h"

namespace plimsoll {
namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    if (comma > begin) parts.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

// What a plan decides by itself, and flags of which only one can count.
Result<void> check_plan_flags(const Options& options, const PlanRequest& request) {
  const bool drawn = options.workload_spec.empty() && request.workload_spec.empty();
  for (const std::string flag : {"--num-requests", "--horizon"}) {
    if (!drawn || !options.is_given(flag)) continue;
    return fail(ErrorKind::usage, flag + " decides nothing of a plan",
                "each test is as long as its answer needs; --duration says how long at least");
  }
  if (!options.gpu_types.empty() && !options.hardware.empty()) {
    return fail(ErrorKind::usage, "--gpu-types and --hardware both say which GPUs to consider",
                "give one of them");
  }
  return check_priced_gpus(options);
}

// Limits that no rate can keep together.
Result<void> check_rates(const PlanRequest& request) {
  const double least = request.min_rps;
  if (request.rate_rps && least > *request.rate_rps) {
    return fail(ErrorKind::usage,
                fmt::format("at least {} req/s (min_qps) are asked for, and a rate of {} to hold",
                            plain(least), plain(*request.rate_rps)),
                "a plan for a rate holds that rate: leave min_qps out, or raise the rate");
  }
  if (request.highest_rps > 0 && least > request.highest_rps) {
    return fail(
        ErrorKind::usage,
        fmt::format("at least {} req/s (min_qps) are asked for, and rates up to {} searched",
                    plain(least), plain(request.highest_rps)),
        "arrival_rate_range has to reach beyond min_qps");
  }
  return {};
}

const std::string& calibration_of(const Options& options, const PlanRequest& request) {
  return options.calibration.empty() ? request.calibration : options.calibration;
}

bool measures(const Options& options, const PlanRequest& request) {
  return !request.profile.empty() || !calibration_of(options, request).empty();
}

// Whoever measured a GPU wants to know what it is good for, whatever it costs.
Result<void> add_measured_gpu(const Options& options, const PlanRequest& request,
                              std::vector<std::string>* gpus) {
  std::string measured;
  if (const std::string& file = calibration_of(options, request); !file.empty()) {
    auto calibration = read_calibration(file);
    if (!calibration) return pass_on(calibration);
    measured = calibration->gpu;
  } else if (!request.profile.empty()) {
    auto profile = read_profile(request.profile);
    if (!profile) return pass_on(profile);
    measured = profile->gpu;
  }
  const auto known = find_gpu(measured, options.semantics);
  if (known && std::ranges::count(*gpus, known->name) == 0) gpus->push_back(known->name);
  return {};
}

Result<void> complete_space(const Options& options, PlanRequest* request,
                            std::vector<std::string>* assumed) {
  ConfigSpace& space = request->space;
  if (!options.gpu_types.empty()) space.gpus = split(options.gpu_types);
  if (!options.hardware.empty()) space.gpus = {options.hardware};
  if (space.gpus.empty()) {
    auto prices = PriceBook::read(options, request->economics.price_file);
    if (!prices) return pass_on(prices);
    const Purchase& purchase = request->economics.purchase;
    for (std::string& gpu : prices->gpus()) {
      const std::vector<Price> offers = prices->offers_for(gpu);
      if (missing_offers(offers, purchase, false).empty()) space.gpus.push_back(std::move(gpu));
    }
    if (auto added = add_measured_gpu(options, *request, &space.gpus); !added) return added;
    if (space.gpus.empty()) {
      return fail(ErrorKind::usage, "no GPU has all the prices that the purchase needs",
                  "--price-file gives them, or buy in another way (--purchase); `plimsoll list "
                  "prices` shows those that are known");
    }
    assumed->push_back("all " + counted(std::ssize(space.gpus), "GPU type") + " with a price" +
                       (measures(options, *request) ? " or a measurement" : ""));
  }
  for (const std::string& gpu : space.gpus) {
    if (!options.hardware_config.empty()) break;
    if (auto known = find_gpu(gpu, options.semantics); !known) return pass_on(known);
  }
  if (options.tp) space.tp = {*options.tp};
  if (options.is_given("--pp")) space.pp = {options.pp};
  if (options.is_given("--dp")) space.dp = {options.dp};
  if (space.tp.empty() && space.num_gpus.empty()) {
    space.tp = {1, 2, 4, 8};
    assumed->emplace_back("TP 1, 2, 4, 8");
  }
  if (options.is_given("--num-instances")) space.replicas = {options.num_instances};
  if (space.replicas.empty() && !request->rate_rps) assumed->emplace_back("1 replica");
  return {};
}

}  // namespace

Result<void> complete_request(const Options& options, PlanRequest* request,
                              std::vector<std::string>* assumed) {
  if (auto checked = check_plan_flags(options, *request); !checked) return checked;
  if (!options.model.empty()) request->model = options.model;
  if (!options.profile.empty()) request->profile = options.profile;
  if (!options.telemetry.empty()) request->telemetry = options.telemetry;
  if (options.is_given("--rate")) {
    request->rate_rps = options.rate_rps;
    request->lowest_rps = request->highest_rps = 0;  // a range is another question
  }
  if (auto checked = check_rates(*request); !checked) return checked;
  if (!options.slo.empty()) {
    auto slos = parse_slos("--slo", options.slo);
    if (!slos) return pass_on(slos);
    if (!request->slos.empty()) {
      assumed->push_back("the limits of --slo alone, none of " + request->file);
    }
    request->slos = std::move(*slos);
  }
  if (options.max_usd_per_hour) request->max_usd_per_hour = options.max_usd_per_hour;
  if (options.max_gpus) request->max_gpus = options.max_gpus;
  if (options.is_given("--spare-replicas")) request->spare = options.spare_replicas;
  if (auto said = say_economics(options, &request->economics); !said) return pass_on(said);
  if (options.duration_s) request->duration_s = *options.duration_s;
  request->varies_model = !options.no_model_error;
  if (request->rate_rps && request->objective == Objective::qps_per_dollar) {
    request->objective = Objective::least_cost;
  }
  if (!options.objective.empty()) {
    request->objective = *value_of(objectives(), options.objective);
  } else if (request->file.empty()) {
    assumed->push_back("objective " + name_of(objectives(), request->objective));
  }
  if (!options.duration_s && request->file.empty()) {
    assumed->push_back(fmt::format("tests of {} s at least", plain(request->duration_s)));
  }
  return complete_space(options, request, assumed);
}

}  // namespace plimsoll
