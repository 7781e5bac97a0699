#include "report/answer/reasons.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/words.h"

namespace plimsoll {
namespace {

constexpr SentenceForm<SteadyCause> kVerdicts[]{
    {SteadyCause::nothing_arrived, "no request arrived"},
    {SteadyCause::never_served, "none of the {n} requests can ever be served"},
    {SteadyCause::few_requests, "{n request} are too few for a steady state"},
    {SteadyCause::lost, "{n} of {n} requests timed out or were turned away"},
    {SteadyCause::gave_up, "{n} of {n} requests timed out"},
    {SteadyCause::turned_away, "{n} of {n} requests were turned away"},
    {SteadyCause::delay_rises,
     "the median TTFT rises from {s} in the first fifth of the run to {s} in the last"},
    {SteadyCause::delay_begins_to_rise,
     "the median TTFT rises from {s} in the first fifth of the requests to {s} in the last, as it "
     "does under overload: this run has {s} of arrivals but needs {s} to tell"},
    {SteadyCause::sessions_begin,
     "the run begins without conversations under way: requests arrive for {s}, of which {s} are "
     "ramp-up, and estimates need {i} times as much"},
    {SteadyCause::work_grows,
     "the backlog grows by {%} of its mean over the last two thirds of the run"},
    {SteadyCause::short_of_stays,
     "arrivals last {s} and requests {s} on average; a steady state needs at least {i} times "
     "the "
     "latter"},
    {SteadyCause::rate_changes, "the arrival rate itself changes during the run"},
    {SteadyCause::warmup_is_long, "the warm-up takes more than half of the arrivals"},
    {SteadyCause::little_is_left,
     "{s} remain after a warm-up of {s}; estimates need {i} times the mean request time of "
     "{s}"},
    {SteadyCause::work_wanders,
     "the backlog varies so slowly that {s} are too short to show its mean"},
    {SteadyCause::work_is_level, "the backlog is stable for {d} times the mean request time"},
    {SteadyCause::model_is_missing, "no instance serves the model of any of the {n request}"},
    {SteadyCause::users_gave_up,
     "{n} of {n} users gave up after a request that timed out or was turned away, and their load "
     "went with them"},
    {SteadyCause::warmup_leaves_few,
     "--warmup leaves {n} of {n} requests; estimates need at least {i}"}};

constexpr SentenceForm<CandidateCause> kCandidates[]{
    {CandidateCause::odd_num_gpus, "num_gpus, the GPUs of an instance, is not TP x PP x DP"},
    {CandidateCause::too_dear, "{-}costs {$}/h, more than {$}"},
    {CandidateCause::too_many_gpus, "{-}takes {n GPU}, more than {n}"},
    {CandidateCause::few_replicas, "needs at least {n instance}, more than {n}"},
    {CandidateCause::serves_too_little, "serves at most {d} req/s, less than {d}"},
    {CandidateCause::not_tested, "was not tested before the plan was interrupted"},
    {CandidateCause::holds_too_little, "holds {d} req/s, less than {d}"},
    {CandidateCause::beaten, "cannot beat #{i}"},
    {CandidateCause::tied, "within {%} of the best"}};

std::string figure_text(const Slo& slo, const SloFigure& figure) {
  const std::string text = name_of(slo) + " " + ms_or_s(figure.value_ms / 1000);
  if (!lacks_requests(slo, figure)) return text;
  return fmt::format("{} were not served, {} of the others {}", percent(figure.unserved_share),
                     name_of(slo), ms_or_s(figure.value_ms / 1000));
}

std::string never_served_text(const std::array<double, 5>& f) {
  return sentence(f[0] < 1 ? "{%} of the requests can never be served: too long for "
                           : "{-}none of the {n} requests can ever be served: too long for ",
                  f) +
         (f[2] > 0 ? "the maximum length (--max-model-len)" : "the KV cache");
}

std::string lost_text(const std::array<double, 5>& f) {
  return sentence(f[1] <= 0   ? "{%} of the requests timed out"
                  : f[0] <= 0 ? "{-}{%} of the requests were turned away"
                              : "{%} of the requests timed out and {%} were turned away",
                  f);
}

// "[13.96, 14.02]" in the unit of a figure, with as many digits as tell the ends and the limit
// apart.
std::string ends_text(const Interval& ms, double figure_ms, double limit_ms) {
  constexpr double kShownAsOneSecond = 999.5;
  const double unit = figure_ms < kShownAsOneSecond ? 1 : 1e3;
  std::string low = three_digits(ms.low / unit);
  std::string high = three_digits(ms.high / unit);
  const std::string limit = three_digits(limit_ms / unit);
  for (int digits = 4; digits < 7 && (low == high || low == limit || high == limit); ++digits) {
    low = fmt::format("{:.{}g}", ms.low / unit, digits);
    high = fmt::format("{:.{}g}", ms.high / unit, digits);
  }
  return fmt::format("[{}, {}]", low, high);
}

std::string own_reason(const LoadProbe& test, const std::vector<Slo>& slos) {
  const auto& [cause, f] = test.reason;
  const auto slo = static_cast<std::size_t>(f[0]);
  const auto against_limit = [&](const char* why) {
    const auto& interval = test.slos[slo].interval_ms;
    const double limit_ms = to_ms(slos[slo].limit);
    const std::string ends =
        interval ? " " + ends_text(*interval, test.slos[slo].value_ms, limit_ms) : "";
    const bool is_apart = interval && (interval->high < limit_ms || interval->low > limit_ms);
    return fmt::format("{}{} {} a limit of {} after {} requests",
                       figure_text(slos[slo], test.slos[slo]), ends,
                       is_apart ? "may still end up on the other side of" : why,
                       ms_or_s(to_seconds(slos[slo].limit)), grouped(test.requests));
  };
  switch (cause) {
    case ProbeCause::none:
      break;
    case ProbeCause::steady_state:
      return reason_text(test.state);
    case ProbeCause::never_served:
      return never_served_text(f);
    case ProbeCause::lost:
      return lost_text(f);
    case ProbeCause::queue_grows:
      return fmt::format("the queue grows by {} req/s",
                         three_digits(test.state.backlog_growth_rps));
    case ProbeCause::slo_figure:
      return figure_text(slos[slo], test.slos[slo]);
    case ProbeCause::caches_fill:
      return fmt::format("prefix caches are still filling after {} requests",
                         grouped(test.requests));
    case ProbeCause::few_requests:
      return fmt::format("{} needs at least {} requests{} for an answer; there were {}",
                         name_of(slos[slo]), grouped(std::llround(f[1])),
                         slos[slo].slo_class ? " of its own" : "", grouped(std::llround(f[2])));
    case ProbeCause::too_close:
      return against_limit("against");
    case ProbeCause::slo_wanders:
      return against_limit("varies too much around");
    case ProbeCause::all_in_warmup:
      return fmt::format("all requests arrive in the {} of warm-up, which are not counted",
                         ms_or_s(f[0]));
  }
  return {};
}

// "costs 87.1 % more than the best"; `more` may be "less".
std::string against_best(Objective objective, double share, std::string_view more) {
  const std::string by = percent(share) + " " + std::string(more);
  switch (objective) {
    case Objective::qps_per_dollar:
      return "costs " + by + " per request than the best";
    case Objective::least_gpus:
      return "takes " + by + " GPUs than the best";
    case Objective::lowest_latency:
      return "has " + by + " latency than the best";
    case Objective::least_cost:
      break;
  }
  return "costs " + by + " than the best";
}

std::string no_price_text(const CandidateResult& r, const Purchase& purchase) {
  return fmt::format("{} {} ({} gives one)", no_price_for(purchase, r.missing_prices),
                     r.candidate.gpu, price_flag(purchase));
}

// The type of which there are too few.
std::string available_text(const CandidateResult& r, const PlanRequest& request) {
  const auto& f = r.reason.figures;
  const std::string* gpu = short_of(request, r.candidate);
  return fmt::format("takes {} {} GPUs, more than the {} available", grouped(std::llround(f[1])),
                     gpu == nullptr ? r.candidate.gpu : *gpu, grouped(std::llround(f[2])));
}

std::string test_text(const CandidateResult& r, const std::vector<Slo>& slos) {
  const LoadProbe& test = *r.deciding;
  const std::string why = reason_text(test, slos);
  if (test.is_turned_away) return why;
  if (r.reason.cause == CandidateCause::fails_idle)
    return fmt::format("nearly idle, at {}, {}", rate_text(test.rate_rps), why);
  return fmt::format("at {} req/s with {} {}", three_digits(test.rate_rps),
                     counted(test.instances, "instance"), why);
}

}  // namespace

std::string no_price_for(const Purchase& purchase, const std::vector<std::string>& missing) {
  // Who did not say how to buy asked for no kind of price.
  if (purchase.shares.empty()) return "no price is known for";
  return "no " + join(missing, " or ") + " price is known for";
}

const char* price_flag(const Purchase& purchase) {
  return purchase.shares.empty() ? "--gpu-price" : "--price-file or economics.price_file";
}

std::string reason_text(const SteadyState& state) {
  if (state.reason == Because<SteadyCause>(SteadyCause::few_requests, 1))
    return "1 request is too few for a steady state";
  return sentence(kVerdicts, state.reason);
}

std::string reason_text(const Warmup& warmup) {
  if (warmup.outcome == WarmupOutcome::not_asked) return {};
  if (warmup.outcome == WarmupOutcome::no_steady_state)
    return "nothing is left out: the run has no steady state";
  if (warmup.excluded == 0) return "nothing had to be left out";
  return fmt::format("the first {} request{} ({}) are left out of TTFT, TPOT, E2E and queue",
                     grouped(static_cast<std::int64_t>(warmup.excluded)),
                     warmup.excluded == 1 ? "" : "s", ms_or_s(warmup.until_s));
}

std::string reason_text(const LoadProbe& test, const std::vector<Slo>& slos) {
  const std::string why = own_reason(test, slos);
  return test.is_refuting ? fmt::format("with seed {} {}", test.seed, why) : why;
}

std::string reason_text(const CandidateResult& r, const PlanRequest& request) {
  const auto& [cause, f] = r.reason;
  std::string text = sentence(kCandidates, r.reason);
  switch (cause) {
    case CandidateCause::refused:
      return r.refusal->message;
    case CandidateCause::no_price:
    case CandidateCause::too_few_available:
      text = cause == CandidateCause::no_price ? no_price_text(r, request.economics.purchase)
                                               : available_text(r, request);
      [[fallthrough]];
    case CandidateCause::too_dear:
    case CandidateCause::too_many_gpus:
      return f[0] > 0 ? sentence("needs at least {n instance} and ", f) + text : text;
    case CandidateCause::fails_idle:
    case CandidateCause::fails:
      return test_text(r, request.slos);
    case CandidateCause::costs_more:
      return against_best(request.objective, f[0], "more");
    case CandidateCause::costs_less:
      return against_best(request.objective, f[0], "less") + ", which leaves the other models more";
    default:
      return text;
  }
}

}  // namespace plimsoll
