// The advice beside a pick: what would cost less or serve more.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"

namespace plimsoll {
namespace {

class Improvements {
 public:
  Improvements(const PlanReport& report, const CandidateResult& best)
      : report_(report), space_(report.request.space), best_(best) {}

  std::vector<std::string> sentences() {
    said_ = price_advice(report_.request, report_.plan);
    by_limit();
    by_batch();
    by_range();
    by_space();
    by_price();
    by_model();
    return std::move(said_);
  }

 private:
  template <class Values>
  static bool is_most_of(const Values& values, std::int64_t value) {
    return !values.empty() && value == *std::ranges::max_element(values);
  }

  // Names what gives way first where the pick fails, and the lever for that.
  void by_limit() {
    const LoadProbe* bad = load_too_much(report_.request, report_.plan, best_);
    if (bad == nullptr) return;
    const Bottleneck& bottleneck = bad->summary.bottleneck;
    std::string what =
        bad->state.lost_share > 0 ? reason_text(*bad, report_.request.slos) : "the queue grows";
    for (std::size_t i = 0; i < bad->slos.size(); ++i) {
      if (bad->slos[i].answer != Answer::fails || bad->state.verdict == SteadyVerdict::overloaded) {
        continue;
      }
      what = title_of(report_.request.slos[i]) + " is missed";
      break;
    }
    std::string text = fmt::format("At {} req/s {}", three_digits(bad->rate_rps), what);
    const ShortResource resource = bottleneck.resource;
    const std::string lever = remedy_text(bottleneck.lever);
    if (resource != ShortResource::nothing && resource != ShortResource::queue)
      text += fmt::format(", bound by {}", name_of(resource));
    if (resource != ShortResource::nothing && !lever.empty()) text += ": " + lever;
    said_.push_back(std::move(text));
  }

  void by_batch() {
    if (best_.estimate.limit == EstimateLimit::places &&
        is_most_of(space_.max_num_seqs, best_.candidate.max_num_seqs) &&
        larger_batches_may_help(report_.request, report_.plan, best_)) {
      said_.push_back(
          fmt::format("All {} places of a batch are taken, and no more were considered: try larger "
                      "max_batch_sizes",
                      grouped(best_.candidate.max_num_seqs)));
    }
    const auto considers = [&](const char* rule) {
      return std::ranges::count(space_.batching_rules, rule) > 0;
    };
    if (!space_.batching_rules.empty() && !considers("vllm") && !considers("sarathi")) {
      said_.emplace_back(
          "The schedulers lack vllm and sarathi, which fill batches "
          "best");
    }
  }

  void by_range() {
    if (report_.request.rate_rps) return;
    if (is_at_range_end(report_.request, best_)) {
      said_.push_back(fmt::format(
          "No rate up to {} req/s was too much: a higher arrival_rate_range would show the limit",
          three_digits(best_.good_rps)));
    } else if (is_most_of(space_.replicas, best_.candidate.replicas)) {
      const std::int64_t most = best_.candidate.instances(best_.candidate.replicas);
      said_.push_back(fmt::format("More than {} {} not considered (num_replicas)",
                                  counted(most, "instance"), most == 1 ? "was" : "were"));
    }
  }

  void by_space() {
    if (const std::string weights = weights_text(report_); !weights.empty())
      said_.push_back(capitalised(weights));
    if (space_.gpus.size() == 1) {
      said_.push_back(
          fmt::format("only {} was considered: smaller GPUs may cost less", space_.gpus.front()));
    }
    if (!space_.tp.empty() && *std::ranges::min_element(space_.tp) == best_.candidate.tp &&
        best_.candidate.tp > 1) {
      said_.push_back(
          fmt::format("No TP below {} was considered: if the model fits, it costs less per request",
                      best_.candidate.tp));
    }
  }

  void by_price() {
    if (!best_.price || best_.price->vendor.empty() || best_.price->commitment != kOnDemand) return;
    said_.push_back(fmt::format(
        "{} per GPU-hour is an on-demand price ({}): committed or spot capacity costs less "
        "(--gpu-price {}=USD, --price-file or economics.price_file plans with yours)",
        dollars(best_.price->usd_per_gpu_hour()), offer_origin(*best_.price), best_.candidate.gpu));
  }

  void by_model() {
    const auto& error = report_.plan.model_error;
    if (!error || error->regime == Regime::measured) return;
    if (error->regime == Regime::calibrated) return;
    said_.push_back(
        fmt::format("Step times may be off by {} here ({}): a profile of this GPU, or `plimsoll "
                    "observe` and "
                    "`calibrate` on a server, narrow that",
                    spread_text(error->step), kernels_text(error->regime)));
  }

  const PlanReport& report_;
  const ConfigSpace& space_;
  const CandidateResult& best_;
  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> plan_advice(const PlanReport& report) {
  const CandidateResult* best = report.best();
  if (best == nullptr) return refusal_advice(report);
  return Improvements(report, *best).sentences();
}

}  // namespace plimsoll
