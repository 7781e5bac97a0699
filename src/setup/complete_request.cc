#include "setup/complete_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/command_files.h"
#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "metrics/group_summary.h"
#include "perf/calibration.h"
#include "planner/purchase.h"
#include "profile/profile.h"
#include "setup/gpu_price.h"

namespace plimsoll {
namespace {

Result<std::vector<std::string>> items_of(const std::string& flag, const std::string& list) {
  std::vector<std::string> items;
  for (const std::string_view part : split_at(list, ',')) {
    std::string item = trimmed(part);
    if (item.empty()) {
      return fail(ErrorKind::usage, flag + ": a name is missing in \"" + list + "\"",
                  "put names between commas, as in a,b");
    }
    items.push_back(std::move(item));
  }
  return items;
}

// What a plan decides by itself, and flags of which only one can count.
Result<void> check_flags(const PlanAsked& asked, const PlanRequest& request) {
  const bool drawn = asked.run.traffic.workload_spec.empty() && request.workload_spec.empty();
  for (const auto& [flag, said] : {std::pair("--num-requests", asked.run.traffic.num_requests),
                                   std::pair("--horizon", asked.run.traffic.horizon_us)}) {
    if (!drawn || !said) continue;
    return fail(ErrorKind::usage, std::string(flag) + " has no effect on a plan",
                "each test is as long as its answer needs; --duration says how long at least");
  }
  if (!asked.plan.gpu_types.empty() && !asked.run.hardware.gpu->empty()) {
    return fail(ErrorKind::usage, "--gpu-types and --hardware both say which GPUs to consider",
                "give one of them");
  }
  return check_priced_gpus(asked.prices, asked.run.hardware);
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
    return fail(ErrorKind::usage,
                fmt::format("at least {} req/s (min_qps) are required, and rates up to {} searched",
                            plain(least), plain(request.highest_rps)),
                "arrival_rate_range has to reach beyond min_qps");
  }
  return {};
}

const std::string& calibration_of(const PlanAsked& asked, const PlanRequest& request) {
  return asked.run.step_time.calibration.empty() ? request.calibration
                                                 : asked.run.step_time.calibration;
}

bool measures(const PlanAsked& asked, const PlanRequest& request) {
  return !request.profile.empty() || !calibration_of(asked, request).empty();
}

// Whoever measured a GPU wants to know what it is good for, whatever it costs.
Result<void> add_measured_gpu(const PlanAsked& asked, const PlanRequest& request,
                              std::vector<std::string>* gpus) {
  std::string measured;
  if (const std::string& file = calibration_of(asked, request); !file.empty()) {
    TRY(calibration, read_calibration(file));
    measured = calibration.gpu;
  } else if (!request.profile.empty()) {
    TRY(profile, read_profile(request.profile));
    measured = profile.gpu;
  }
  const auto known = find_gpu(measured, asked.run.semantics);
  if (known) add_once(gpus, known->name);
  return {};
}

// What is paid for, and how; what is asked comes before what `economics` says already.
Result<void> say_economics(const PlanSpec& plan, const PriceSpec& prices, Economics* economics) {
  if (!prices.file.empty()) economics->price_file = prices.file;
  std::optional<double> loss;
  if (plan.spot_loss) loss = *plan.spot_loss / 100;
  if (!plan.purchase.empty()) {
    TRY_SET(economics->purchase, parse_purchase("--purchase", plan.purchase, loss));
  } else if (loss && economics->purchase.shares.empty()) {
    return fail(ErrorKind::usage, "--spot-loss needs a purchase with spot capacity",
                "--purchase spot=100, or economics.purchase of the request");
  } else if (loss) {
    economics->purchase.spot_loss = *loss;
  }
  if (!plan.api_price.empty()) {
    TRY(price, parse_api_price("--api-price", plan.api_price));
    economics->api = price;
  }
  if (plan.growth) economics->growth_per_minute = *plan.growth / 100;
  if (plan.cold_start_s && economics->growth_per_minute <= 0) {
    return fail(ErrorKind::usage, "--cold-start needs --growth",
                "how many replicas have to be warm depends on how fast the load grows");
  }
  if (plan.cold_start_s) economics->cold_start_s = plan.cold_start_s;
  return {};
}

// GPUs whose number is limited, by the names that the space has for them.
Result<void> check_available(const PlanAsked& asked, PlanRequest* request) {
  std::map<std::string, std::int64_t> by_name;
  const std::vector<std::string> gpus = all_gpus(request->space);
  const auto name_of = [&](const std::string& gpu) {
    const auto known = find_gpu(gpu, asked.run.semantics);
    return known && asked.run.hardware.config.empty() ? known->name : gpu;
  };
  for (const auto& [gpu, count] : request->available_gpus) {
    const auto at = std::ranges::find(gpus, name_of(gpu), name_of);
    if (at == gpus.end()) {
      return fail(ErrorKind::usage,
                  fmt::format("available_gpus limits {}, which no candidate has", gpu),
                  "GPU types of this plan: " + join(gpus, ", "));
    }
    by_name[*at] = count;
  }
  request->available_gpus = std::move(by_name);
  return {};
}

Result<void> check_mixes(const PlanAsked& asked, ConfigSpace* space) {
  if (!space->mixes_gpus) return {};
  if (space->gpus.size() < 2) {
    return fail(ErrorKind::usage, "mix_gpu_types needs two GPU types, and this plan has one",
                "name more in gpu_types, or leave mix_gpu_types out");
  }
  if (asked.run.cluster.router.is_asked()) space->mix_router = *asked.run.cluster.router;
  return {};
}

// Which candidates split, and what is said of all their transfers.
Result<void> complete_split(const PlanAsked& asked, ConfigSpace* space) {
  if (!asked.plan.disaggregation.empty()) space->disaggregation.clear();
  std::vector<std::string> ways;
  if (!asked.plan.disaggregation.empty())
    TRY_SET(ways, items_of("--disaggregation", asked.plan.disaggregation));
  for (const std::string& name : ways) {
    const auto way = value_of(disaggregations(), name);
    if (!way) {
      return fail(ErrorKind::usage, "--disaggregation: unknown value \"" + name + "\"",
                  suggestion(name, names_of(disaggregations())));
    }
    space->disaggregation.push_back(*way);
  }
  const SplitSpec& said = asked.run.split;
  if (!contains(space->disaggregation, Disaggregated::yes)) {
    for (const auto& [flag, is_said] :
         {std::pair("--pd-transfer-link", !said.link.empty()),
          std::pair("--pd-transfer-bandwidth", said.transfer_gb_per_s.is_asked()),
          std::pair("--prefill-transfer-link", !said.prefill.transfer_link.empty()),
          std::pair("--decode-transfer-link", !said.decode.transfer_link.empty()),
          std::pair("--prefill-transfer-bandwidth", said.prefill.transfer_gb_per_s.has_value()),
          std::pair("--decode-transfer-bandwidth", said.decode.transfer_gb_per_s.has_value()),
          std::pair("--pd-network-bandwidth", said.network_gb_per_s.has_value()),
          std::pair("--pd-transfer-base-latency", said.transfer_latency_ms.is_asked()),
          std::pair("--pd-transfer-contention", *said.contention),
          std::pair("--pd-transfer-mode", said.mode.is_asked()),
          std::pair("--pd-first-token", said.first_token.is_asked())}) {
      if (!is_said) continue;
      return fail(ErrorKind::usage, std::string(flag) + " has no effect: no candidate is split",
                  "--disaggregation aggregated,split, or disaggregation: in the config_space of a "
                  "request file");
    }
  }
  if (!said.link.empty() || said.transfer_gb_per_s.is_asked()) space->pd_links.clear();
  return {};
}

// Prompts in small chunks are what a split competes with, and what limits on gaps between tokens
// ask for: the chunks of others are what makes such gaps long.
void add_small_chunks(const PlanAsked& asked, PlanRequest* request,
                      std::vector<std::string>* assumed) {
  constexpr std::int64_t kSmallChunks = 512;
  ConfigSpace& space = request->space;
  const EngineSpec& engine = asked.run.engine;
  const bool is_free = space.max_num_batched_tokens.empty() && !engine.max_num_batched_tokens &&
                       !engine.no_chunked_prefill &&
                       engine.max_num_seqs.value_or(0) <= kSmallChunks;
  const bool compares = contains(space.disaggregation, Disaggregated::no);
  const bool limits_gaps = std::ranges::any_of(request->slos, [](const Slo& slo) {
    return slo.metric == &GroupSummary::tpot || slo.metric == &GroupSummary::itl;
  });
  if (!is_free || !(compares || (limits_gaps && space.disaggregation.empty()))) return;
  space.small_chunks = kSmallChunks;
  assumed->push_back(fmt::format("also max-num-batched-tokens {}{}", kSmallChunks,
                                 compares ? " where nothing is split" : ""));
}

Result<void> complete_space(const PlanAsked& asked, PlanRequest* request,
                            std::vector<std::string>* assumed) {
  ConfigSpace& space = request->space;
  if (!asked.plan.gpu_types.empty())
    TRY_SET(space.gpus, items_of("--gpu-types", asked.plan.gpu_types));
  if (!asked.run.hardware.gpu->empty()) space.gpus = {asked.run.hardware.gpu};
  if (space.gpus.empty()) {
    for (const auto& [gpu, count] : request->available_gpus) space.gpus.push_back(gpu);
  }
  if (space.gpus.empty()) {
    TRY(prices, PriceBook::read(asked.prices, asked.run.hardware, request->economics.price_file));
    const Purchase& purchase = request->economics.purchase;
    for (std::string& gpu : prices.gpus()) {
      const std::vector<Price> offers = prices.offers_for(gpu);
      if (missing_offers(offers, purchase, false).empty()) space.gpus.push_back(std::move(gpu));
    }
    TRY_TO(add_measured_gpu(asked, *request, &space.gpus));
    if (space.gpus.empty()) {
      return fail(ErrorKind::usage, "no GPU has all the prices that the purchase needs",
                  unless_sealed("--price-file gives them, or ") +
                      "buy in another way (--purchase); `plimsoll list prices` shows those that "
                      "are known");
    }
    assumed->push_back("all " + counted(std::ssize(space.gpus), "GPU type") + " with a price" +
                       (measures(asked, *request) ? " or a measurement" : ""));
  }
  TRY_TO(check_available(asked, request));
  for (const std::string& gpu : all_gpus(space)) {
    if (!asked.run.hardware.config.empty()) break;
    TRY_TO(find_gpu(gpu, asked.run.semantics));
  }
  TRY_TO(check_mixes(asked, &space));
  TRY_TO(complete_split(asked, &space));
  add_small_chunks(asked, request, assumed);
  if (asked.run.layout.tp) space.tp = {*asked.run.layout.tp};
  if (asked.run.layout.pp.is_asked()) space.pp = {asked.run.layout.pp};
  if (asked.run.layout.dp.is_asked()) space.dp = {asked.run.layout.dp};
  if (asked.run.layout.expert_parallel) space.expert_parallel = {true};
  if (const std::string& weights = asked.run.model.quantization; !weights.empty()) {
    if (!space.quantizations.empty())
      assumed->push_back(
          fmt::format("--quantization {} in place of the formats of {}", weights, request->file));
    space.quantizations = {weights};
  }
  if (space.tp.empty() && space.num_gpus.empty()) {
    space.tp = {1, 2, 4, 8};
    assumed->emplace_back("TP 1, 2, 4, 8");
  }
  if (asked.run.cluster.num_instances.is_asked())
    space.replicas = {asked.run.cluster.num_instances};
  if (space.replicas.empty() && !request->rate_rps)
    assumed->emplace_back(request->wants_most() && request->has_limits()
                              ? "as many instances as the limits allow"
                              : "1 instance");
  return {};
}

}  // namespace

Result<void> complete_request(const PlanAsked& asked, PlanRequest* request,
                              std::vector<std::string>* assumed) {
  TRY_TO(check_flags(asked, *request));
  if (!asked.run.model.id->empty()) request->model = asked.run.model.id;
  if (!asked.run.step_time.profile.empty()) request->profile = asked.run.step_time.profile;
  if (!asked.run.step_time.telemetry.empty()) request->telemetry = asked.run.step_time.telemetry;
  if (asked.run.traffic.rate_rps.is_asked()) {
    request->rate_rps = asked.run.traffic.rate_rps;
    request->lowest_rps = request->highest_rps = 0;  // a range is another question
  }
  TRY_TO(check_rates(*request));
  if (!asked.limits.slo.empty()) {
    TRY(slos, parse_slos("--slo", asked.limits.slo));
    if (!request->slos.empty()) {
      assumed->push_back("the limits of --slo alone, none of " + request->file);
    }
    request->slos = std::move(slos);
  }
  if (asked.plan.max_usd_per_hour) request->max_usd_per_hour = asked.plan.max_usd_per_hour;
  if (asked.plan.max_gpus) request->max_gpus = asked.plan.max_gpus;
  if (asked.plan.spare_replicas.is_asked()) request->spare = asked.plan.spare_replicas;
  TRY_TO(say_economics(asked.plan, asked.prices, &request->economics));
  if (asked.plan.duration_s) request->duration_s = *asked.plan.duration_s;
  request->varies_model = !asked.metrics.no_model_error;
  if (request->rate_rps && request->objective == Objective::qps_per_dollar) {
    request->objective = Objective::least_cost;
  }
  if (!asked.plan.objective.empty()) {
    request->objective = *value_of(objectives(), asked.plan.objective);
  } else if (request->file.empty()) {
    assumed->push_back("objective " + name_of(objectives(), request->objective));
  }
  if (!asked.plan.duration_s && request->file.empty()) {
    assumed->push_back(fmt::format("tests of at least {} s", plain(request->duration_s)));
  }
  return complete_space(asked, request, assumed);
}

}  // namespace plimsoll
