#include "report/plan/figures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/quoting.h"
#include "base/text.h"
#include "planner/plan_choice.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/form/field_text.h"
#include "setup/fleet_file.h"
#include "setup/mixed_pools.h"
#include "setup/run_spec.h"

namespace plimsoll {
namespace {

/// What capacity planners give as usual for a class of GPUs, in req/s per $/h.
struct UsualReturn {
  std::string_view gpu;  ///< its name begins so
  std::string_view of;
  double low, high;
};
constexpr std::array kUsualReturns{UsualReturn{"A100", "mid-tier GPUs (A100)", 3, 5},
                                   UsualReturn{"L40S", "mid-tier GPUs (A100)", 3, 5},
                                   UsualReturn{"A10", "budget GPUs (A10G)", 5, 10},
                                   UsualReturn{"L4", "budget GPUs (A10G)", 5, 10},
                                   UsualReturn{"T4", "budget GPUs (A10G)", 5, 10},
                                   UsualReturn{"H100", "premium GPUs (H100)", 2, 4},
                                   UsualReturn{"H200", "premium GPUs (H100)", 2, 4},
                                   UsualReturn{"B200", "premium GPUs (H100)", 2, 4}};

std::string return_reading(const PlanReport& report, const CandidateResult& best) {
  if (best.usd_per_hour <= 0) return {};
  const double value = promised_rps(report, best) / best.usd_per_hour;
  std::string text = fmt::format("{} req/s per $/h", three_digits(value));
  const auto usual = std::ranges::find_if(
      kUsualReturns, [&](const UsualReturn& u) { return best.candidate.gpu.starts_with(u.gpu); });
  if (usual == kUsualReturns.end()) return {};  // a figure alone is no reading
  const char* where = value < usual->low ? "below" : value > usual->high ? "above" : "within";
  return text + fmt::format(
                    ": {} the {:.0f} to {:.0f} that are usual for {}; it depends on model "
                    "and lengths",
                    where, usual->low, usual->high, usual->of);
}

std::string mfu_figure(const GroupSummary& cluster, const Bottleneck& bottleneck,
                       bool larger_batches_may_help) {
  if (!cluster.efficiency) return {};
  const double mfu = cluster.efficiency->mfu;
  std::string text = "MFU " + percent(mfu);
  if (mfu > kHighMfu) return text + ": above 70 %, excellent; watch the limits under bursts";
  if (mfu >= kGoodMfu) return text + ": between 50 and 70 %, good for a varying load";
  text += ": below 50 %";
  if (bottleneck.resource == ShortResource::decode_bandwidth) {
    text += ", as usual where decoding is bound by memory bandwidth";
  }
  return larger_batches_may_help ? text + "; larger batches or another scheduler may raise it"
                                 : text + "; another scheduler may raise it";
}

std::string memory_reading(const GroupSummary& cluster, std::optional<ShortResource> weakest) {
  const double used = cluster.kv_utilization;
  const std::string text = "KV memory " + percent(used) + " used";
  if (used > kFullKvMemory)
    return text + ": above 85 %, bursts will preempt; a smaller batch is safer";
  if (used >= kSomeKvMemory) return text + ": between 60 and 85 %, healthy";
  return text + ": below 60 %, room for bursts or longer requests" +
         (weakest == ShortResource::kv_memory ? "" : "; GPUs with less memory may do");
}

std::string usd(double dollars) { return "$" + three_digits(dollars); }

// As flags of `run`, without the spare ones; of a mix they come last, a long word.
std::string sizes_of_pools(const Candidate& c) {
  if (c.mixes()) return {};
  if (!c.splits()) return fmt::format(" --num-instances {}", c.replicas);
  return fmt::format(" --prefill-instances {} --decode-instances {}", c.other_instances(c.replicas),
                     c.own_instances(c.replicas));
}
std::string pools_of_run(const Candidate& c) {
  if (!c.mixes()) return {};
  const std::int64_t replicas = std::max<std::int64_t>(1, c.replicas);
  return " --fleet=" + shell_quoted(fleet_in_line(pools_of_mix(c, replicas)));
}

// What the objective looks at beside money.
std::string merit_text(const PlanRequest& request, const CandidateResult& c) {
  if (request.objective == Objective::lowest_latency) {
    return fmt::format(" ({} {})",
                       request.slos.empty() ? "TTFT p99" : name_of(request.slos.front()),
                       ms_or_s(compared_latency_ms(c) / 1e3));
  }
  return request.rate_rps ? "" : fmt::format(" ({} req/s)", three_digits(c.good_rps));
}

bool says_it_all(const Bill& bill) {
  return bill.lines.size() == 1 && bill.lines.front().price.gpus == 1 &&
         bill.lines.front().price.commitment == kOnDemand;
}

}  // namespace

std::vector<BudgetLimit> budget_limits(const PlanRequest& request, const Candidate& fleet,
                                       double usd_per_hour) {
  std::vector<BudgetLimit> limits;
  if (const auto& most = request.max_usd_per_hour) {
    limits.push_back(
        {"--max-cost-per-hour", "the budget of " + hourly_dollars(*most), usd_per_hour > *most});
  }
  if (const auto& most = request.max_gpus) {
    limits.push_back(
        {"--max-gpus", "the limit of " + counted(*most, "GPU"), fleet.total_gpus() > *most});
  }
  if (!request.available_gpus.empty()) {
    limits.push_back(
        {"available_gpus", "the numbers of available GPUs", short_of(request, fleet) != nullptr});
  }
  return limits;
}

std::string exceeded_limits(const PlanRequest& request, const Candidate& fleet, double usd_per_hour,
                            std::string BudgetLimit::*text) {
  std::vector<BudgetLimit> limits = budget_limits(request, fleet, usd_per_hour);
  std::erase_if(limits, [](const BudgetLimit& limit) { return !limit.is_exceeded; });
  return join(mapped(limits, text), " and ");
}

std::string shown_router(const std::string& router) {
  return router.empty() ? *ClusterSpec().router : router;
}

std::string settings_text(const PlanRequest& request, const Candidate& c) {
  std::vector<std::string> settings;
  if (request.space.batching_rules.size() > 1 && c.batching_rule != "vllm")
    settings.push_back("batching rule " + c.batching_rule);
  if (request.space.max_num_seqs.size() > 1)
    settings.push_back(fmt::format("--max-num-seqs {}", c.max_num_seqs));
  if (c.max_num_batched_tokens > 0)
    settings.push_back(fmt::format("--max-num-batched-tokens {}", c.max_num_batched_tokens));
  if (!request.space.routers.empty() && !c.router.empty())
    settings.push_back("--routing-policy " + c.router);
  return settings.empty() ? "" : " with " + join(settings, ", ");
}

std::string deployment_text(const PlanRequest& request, const Candidate& c) {
  return describe_gpus(c) + settings_text(request, c);
}

std::string run_command(const CandidateResult& r) {
  std::string command = "plimsoll run";
  for (const std::string& flag : r.flags) {
    const std::string name = flag.substr(0, flag.find('='));
    if (name == "--num-requests" || name == "--seed") continue;  // those of the test
    command += typed_word(flag);
  }
  command += sizes_of_pools(r.candidate);
  const std::string pools = pools_of_run(r.candidate);
  if (!r.at_good) return command + pools;
  command += fmt::format(" --rate {} --num-requests {} --seed {}", shortest(r.at_good->rate_rps),
                         r.at_good->requests, r.at_good->seed);
  if (r.warmup_is_asked) {
    command += fmt::format(" --warmup {}s", shortest(r.at_good->state.warmup_s));
  } else if (r.at_good->state.verdict == SteadyVerdict::steady) {
    command += " --warmup auto";
  }
  return command + pools;
}

std::string served_range_text(const PlanReport& r) {
  if (!r.plan.model_rps) return {};
  const Interval whole = served_rps(r.plan, *r.best());
  const std::string range =
      std::isfinite(whole.high)
          ? fmt::format("{} to {} req/s", three_digits(whole.low), three_digits(whole.high))
          : fmt::format("{} req/s or more", three_digits(whole.low));
  const auto& asked = r.request.rate_rps;
  if (!asked || whole.low >= *asked) return range;
  return range + fmt::format(", less than {} if real steps are as slow as the model's error allows",
                             three_digits(*asked));
}

std::string weights_text(const PlanReport& r) {
  const CandidateResult* best = r.best();
  const bool is_choice = r.request.space.quantizations.size() > 1;
  if (best == nullptr || !is_choice || !best->candidate.quantizes()) return {};
  std::string text = fmt::format("weights in {} may change answers: evaluate them first",
                                 best->candidate.quantization);
  if (!r.plan.best_stored) return text;
  const CandidateResult& stored = r.plan.candidates[r.plan.best_stored->index];
  text += fmt::format(", or keep those that are stored on {}{}{}", describe_gpus(stored.candidate),
                      settings_text(r.request, stored.candidate), merit_text(r.request, stored));
  if (!stored.price) return text;
  const bool is_same = stored.usd_per_hour == best->usd_per_hour;
  return text + (is_same ? " for the same " : " for ") + hourly_dollars(stored.usd_per_hour);
}

std::string trust_text(const PlanReport& r) {
  const auto& error = r.plan.model_error;
  const CandidateResult* best = r.best();
  const std::string weights = weights_text(r);
  if (!error) return weights;
  std::string text =
      fmt::format(
          "model: {} ({}); candidate rates within 2 %; each test is decided at 95 % confidence",
          error_text(*error, r.request.slos), kernels_text(error->regime)) +
      (best->at_good ? "; the best " + seeds_text(r.request.slos, *best->at_good) : "");
  const std::string range = served_range_text(r);
  if (!range.empty()) text += "; with the model's error the best serves " + range;
  return weights.empty() ? text : text + "; " + weights;
}

std::vector<std::string> plan_readings(const PlanReport& report) {
  const CandidateResult* best = report.best();
  if (best == nullptr || !best->at_good) return {};
  const ProbeSummary& summary = best->at_good->summary;
  std::vector<std::string> readings{
      return_reading(report, *best),
      mfu_figure(summary.cluster, summary.bottleneck,
                 larger_batches_may_help(report.request, report.plan, *best)),
      memory_reading(summary.cluster, weakest_resource(report.request, report.plan, *best))};
  std::erase(readings, "");
  return readings;
}

std::string cost_text(const PlanReport& r, const CandidateResult& best) {
  const double rate_rps = promised_rps(r, best);
  const PlanCost cost = cost_of(best, rate_rps);
  std::string text = fmt::format(
      "{}, {} a month: at {} req/s {} per 1k requests, {} per million output tokens",
      hourly_dollars(best.usd_per_hour), whole_dollars(usd_of_month(best.usd_per_hour)),
      three_digits(rate_rps), usd(cost.usd_per_1k_requests), usd(cost.usd_per_million_tokens));
  if (std::isfinite(cost.wh_per_1k_tokens) && cost.wh_per_1k_tokens > 0) {
    const double simulated_rps = best.at_good->rate_rps;
    text += fmt::format("; about {} Wh per 1k output tokens while busy",
                        three_digits(cost.wh_per_1k_tokens));
    if (simulated_rps != rate_rps)
      text += fmt::format(", at {} req/s", three_digits(simulated_rps));
  }
  return says_it_all(best.bill) ? text + "; " + offer_text(*best.price) : text;
}

std::string bought_text(const CandidateResult& best) {
  if (best.bill.lines.empty() || says_it_all(best.bill)) return {};
  std::vector<std::string> parts;
  for (const BillLine& line : best.bill.lines) {
    const std::string kind = best.candidate.other_gpu.empty() ? "" : line.price.gpu + " ";
    std::string text = fmt::format("{} {} for {} at {}", counted(line.replicas, kind + "instance"),
                                   line.price.commitment, hourly_dollars(line.usd_per_hour()),
                                   offer_text(line.price));
    if (line.price.gpus > 1) {
      text += fmt::format(", {} of {} GPUs", counted(line.instances, "machine"), line.price.gpus);
    }
    parts.push_back(std::move(text));
  }
  if (const std::int64_t idle = best.bill.idle_gpus(); idle > 0) {
    parts.push_back(counted(idle, "GPU") + " idle, as machines are bought whole");
  }
  return join(parts, "; ");
}

std::string spare_text(const PlanRequest& request, const CandidateResult& best) {
  const FleetSize& fleet = best.fleet;
  const std::int64_t of_one = best.candidate.splits() ? best.candidate.instances(1) : 1;
  const auto instances = [&](std::int64_t spare) { return counted(of_one * spare, "instance"); };
  std::vector<std::string> parts;
  if (fleet.failures > 0) parts.push_back(instances(fleet.failures) + " for failures");
  if (fleet.spot > 0) {
    parts.push_back(fmt::format("{}, as {} of the spot ones may be lost at once",
                                instances(fleet.spot),
                                percent(request.economics.purchase.spot_loss)));
  }
  if (fleet.warm > 0) {
    parts.push_back(
        fmt::format("{} warm, as the load may grow by {} a minute and a new one takes "
                    "{} s to start",
                    instances(fleet.warm), percent(request.economics.growth_per_minute),
                    three_digits(best.cold_start_s)));
  }
  if (parts.empty()) return {};
  return join(parts, "; ") + ": paid for beyond what the load needs";
}

std::string unpriced_text(const PlanRequest& request, const Plan& plan) {
  std::map<std::string, std::vector<std::string>> gpus_without;
  for (const CandidateResult& r : plan.candidates) {
    if (r.missing_prices.empty()) continue;
    std::vector<std::string>& gpus =
        gpus_without[no_price_for(request.economics.purchase, r.missing_prices)];
    add_once(&gpus, r.candidate.gpu);
  }
  std::vector<std::string> parts;
  for (const auto& [no_price, gpus] : gpus_without)
    parts.push_back(no_price + " " + join(gpus, ", "));
  return join(parts, "; ");
}

std::vector<std::string> price_advice(const PlanRequest& request, const Plan& plan) {
  const std::string unpriced = unpriced_text(request, plan);
  if (unpriced.empty()) return {};
  const auto left_out = std::ranges::count_if(
      plan.candidates, [](const CandidateResult& r) { return !r.missing_prices.empty(); });
  const Purchase& purchase = request.economics.purchase;
  std::string text = fmt::format("{} left out, as {}: {} sets it", counted(left_out, "candidate"),
                                 unpriced, price_flag(purchase));
  if (!purchase.shares.empty()) {
    text += " (a row for each GPU and commitment), or buy in another way (--purchase)";
  }
  return {text};
}

std::string api_text(const PlanReport& r, const CandidateResult& best) {
  const double rate_rps = promised_rps(r, best);
  const auto api = api_cost_of(r.request.economics, best, rate_rps);
  if (!api) return {};
  std::string text = fmt::format("{} at {} req/s, {} per 1k requests; own GPUs cost ",
                                 hourly_dollars(api->usd_per_hour), three_digits(rate_rps),
                                 usd(api->usd_per_1k_requests));
  if (api->break_even_rps <= rate_rps) {
    return text + fmt::format("less above {} req/s on average, {} of {}",
                              three_digits(api->break_even_rps),
                              percent(api->break_even_rps / rate_rps),
                              r.request.rate_rps ? "that rate" : "their sustainable rate");
  }
  text += r.request.rate_rps ? "more at any rate up to that" : "more at any sustainable rate";
  if (!std::isfinite(api->break_even_rps)) return text;
  return text + fmt::format(" (less only above {} req/s)", three_digits(api->break_even_rps));
}

}  // namespace plimsoll
