// The decision that a run comes to: whether the load is held, what undermines that, what to do.
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/next_steps.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/form/table.h"
#include "report/run/terminal.h"

namespace plimsoll {
namespace {

std::string deployed(const Summary& s) {
  if (s.pools.pools.empty()) return counted(std::ssize(s.instances), "instance");
  return deployed_text(s.pools);
}

// The rate that was asked for, as that of the arrivals of a short run is another; of a closed loop
// its users, whose requests come as fast as they are answered.
std::string load_of(const Summary& s, const RunConfig& config) {
  if (const ConfigEntry* users = find_entry(config, "concurrency")) {
    return fmt::format("{} users ({} req/s)", grouped(std::get<std::int64_t>(users->value)),
                       three_digits(s.offered_rps));
  }
  // Rounds of sessions come only as fast as those before are answered.
  constexpr double kHeldBack = 1.2;
  const bool waits = s.steady_state.verdict == SteadyVerdict::overloaded &&
                     s.asked_rps > kHeldBack * s.offered_rps;
  if (waits) {
    return fmt::format("the {} req/s its sessions would send if answered ({} arrived)",
                       three_digits(s.asked_rps), three_digits(s.offered_rps));
  }
  const ConfigEntry* rate = find_entry(config, "rate");
  const double* asked = rate == nullptr ? nullptr : std::get_if<double>(&rate->value);
  return (asked != nullptr && *asked > 0 ? plain(*asked) : three_digits(s.offered_rps)) + " req/s";
}

// "hold 40 req/s", but "serve 64 users".
std::string verb_for(const RunConfig& config) { return is_closed_loop(config) ? "serve" : "hold"; }

std::string ttft_p99(const Summary& s) {
  return "TTFT p99 " + ms_or_s(s.cluster.ttft.p99_ms / 1e3);
}

// "TTFT p99 97.7 ms (90 % confidence: 60.6 to 159 ms with the model's error)"; a doubtful answer
// has no such confidence, and its figure still has a range. Where slow steps are not held there is
// no high end: the figure is the simulation's.
std::string sure_ttft_p99(const Summary& s, bool is_doubted, std::optional<double>* confidence) {
  const MetricInterval* whole =
      s.model_band ? find_interval(s.model_band->combined, "ttft_p99_ms") : nullptr;
  const bool with_model = whole != nullptr && std::isfinite(whole->high);
  if (s.model_band && !with_model) return ttft_p99(s) + " as simulated";
  if (!with_model) whole = find_interval(s.intervals, "ttft_p99_ms");
  if (whole == nullptr) return ttft_p99(s);
  const std::string high = ms_or_s(whole->high / 1e3);
  std::string low = ms_or_s(whole->low / 1e3);
  const auto unit = low.rfind(' ');
  if (high.ends_with(low.substr(unit))) low.resize(unit);
  const std::string range =
      fmt::format("{} to {}{}", low, high, with_model ? " with the model's error" : "");
  if (is_doubted) return fmt::format("{} ({})", ttft_p99(s), range);
  *confidence = kIntervalLevel;
  return fmt::format("{} ({:.0f} % confidence: {})", ttft_p99(s), 100 * kIntervalLevel, range);
}

void doubt_steps(const Summary& s, Decision* d) {
  doubt_peak(s.cluster, &d->doubts);
  if (s.model_error_untested)
    d->doubts.emplace_back(Doubt::slow_steps_untested, s.interrupted ? 1 : 0);
  if (!s.model_band) return;
  const ModelBand& band = *s.model_band;
  const std::size_t before = d->doubts.size();
  doubt_speed(band.error, &d->doubts);
  if (d->doubts.size() > before) d->action = kMeasureFirst;
  if (band.slow == SteadyVerdict::steady) return;
  d->doubts.emplace_back(band.slow == SteadyVerdict::overloaded ? Doubt::slow_steps_fail
                                                                : Doubt::slow_steps_open);
  if (!d->action.empty()) return;
  d->action = band.slow == SteadyVerdict::too_short
                  ? "Give it more requests (--num-requests)"
                  : "Ask `plimsoll capacity` how many instances cover the model's error";
}

// The queue is stable, but answers come too late.
void answer_too_slow(const Summary& s, const std::string& who, const std::string& load,
                     Decision* d) {
  d->settle(Answer::fails);
  const KeptLimit missed = *least_kept(*s.goodput);
  d->answer = fmt::format(
      "{} {} not keep the limits at {}: only {} of the {}requests have {} within {}, and {} are "
      "needed",
      who, s.instances.size() == 1 ? "does" : "do", load, percent(missed.share),
      missed.slo_class.empty() ? "" : missed.slo_class + " ", missed.of,
      ms_or_s(to_seconds(missed.limit)), percent(kNearlyAll));
  d->contrast = ttft_p99(s) + ", and " + reason_text(s.steady_state);
}

void answer_near_limit(const Summary& s, const std::string& who, const std::string& load,
                       const MetricInterval& share, const RunConfig& config, Decision* d) {
  const KeptLimit kept = *least_kept(*s.goodput);
  d->settle(Answer::unclear);
  d->answer = fmt::format(
      "whether {} {} the limits at {} is too close to call: {} [{}, {}] of the {}requests have {} "
      "within {}, and {} are needed",
      who, s.instances.size() == 1 ? "keeps" : "keep", load, percent(kept.share),
      three_digits(100 * share.low), three_digits(100 * share.high),
      kept.slo_class.empty() ? "" : kept.slo_class + " ", kept.of, ms_or_s(to_seconds(kept.limit)),
      percent(kNearlyAll));
  d->contrast = ttft_p99(s) + ", and " + reason_text(s.steady_state);
  if (config.verb == "run") d->action = "Give it more requests (--num-requests)";
}

// Whatever becomes of the queue, which what is too long never enters.
void answer_too_long(const Summary& s, const std::string& who, const std::string& load,
                     Decision* d) {
  d->settle(Answer::fails);
  const double growth = s.steady_state.backlog_growth_rps;
  d->answer = fmt::format("{} {} not serve {}: {} of the requests are too long to be served", who,
                          s.instances.size() == 1 ? "does" : "do", load,
                          percent(ratio_or_zero(s.cluster.dropped_unservable, s.arrived)));
  if (growth > 0)
    d->answer +=
        fmt::format(", and the backlog of the others grows by {} req/s", three_digits(growth));
  if (has_latencies(s))
    d->contrast = ttft_p99(s) + " for the others, and " + reason_text(s.steady_state);
}

std::string lost_text(const Summary& s) {
  const GatewayRecord& gateway = s.gateway;
  const double lost = ratio_or_zero(s.rejected_admission + s.rejected_routing + gateway.rejected +
                                        gateway.shed + gateway.expired + gateway.evicted +
                                        s.cluster.timed_out + s.cluster.dropped_unservable,
                                    s.arrived);
  return unserved_text(lost);
}

// Whether requests can be made to come faster: they neither wait for answers nor belong to
// sessions.
bool can_be_scaled(const Summary& s, const RunConfig& config) {
  return s.sessions.sessions == 0 && !is_closed_loop(config);
}

void answer_steady(const Summary& s, const std::string& who, const std::string& load,
                   const RunConfig& config, Decision* d) {
  if (const MetricInterval* share = undecided_share(s))
    return answer_near_limit(s, who, load, *share, config, d);
  if (misses_limits(s)) return answer_too_slow(s, who, load, d);
  doubt_steps(s, d);
  d->settle(Answer::holds);
  d->says_confidence = true;
  d->answer = fmt::format("{} {} {} at {}{}", who,
                          d->likely(verb_for(config) + (s.instances.size() == 1 ? "s" : "")), load,
                          sure_ttft_p99(s, !d->doubts.empty(), &d->confidence), lost_text(s));
  d->contrast = reason_text(s.steady_state);
  if (d->action.empty() && can_be_scaled(s, config))
    d->action = "Ask `plimsoll capacity` for the headroom";
}

// More instances are no help while most of those that are there are not used. What a few of them
// serve in large batches says how many are needed at least: more instances have smaller batches,
// which serve less.
std::string action_against_overload(const Summary& s) {
  if (is_engine_default(s.bottleneck.lever.cause))
    return capitalised(remedy_text(s.bottleneck.lever));
  if (s.bottleneck.lever.cause == Remedy::spread_requests) {
    return "Spread the requests over all instances";
  }
  if (s.pools.verdict == PoolVerdict::link_short)
    return fmt::format("Try a link of {} GB/s", three_digits(s.bottleneck.lever.figures[0]));
  if (!needs_more_instances(s)) return {};
  if (s.bottleneck.lever.cause == Remedy::route_by_load) {
    return "Send each pool what it can serve: --routing-policy least-loaded";
  }
  if (s.pools.split) {
    const Division more = division_that_may_hold(s);
    if (s.pools.has_flags()) {
      return fmt::format("Try --prefill-instances {} --decode-instances {}", more.prefill,
                         more.decode);
    }
    return fmt::format("Try {} for prefill and {} for decode in the fleet file",
                       counted(more.prefill, "instance"), more.decode);
  }
  const std::int64_t more = instances_that_may_hold(s);
  if (more > kMostInstances) {
    return fmt::format("By arithmetic it takes {}, more than can be simulated",
                       counted(more, "instance"));
  }
  if (s.pools.pools.empty()) return fmt::format("Try at least {}", counted(more, "instance"));
  return "Try at least " + deployed_text(enlarged(s.pools, more)) + " in the fleet file";
}

void answer_overloaded(const Summary& s, const std::string& who, const std::string& load,
                       const RunConfig& config, Decision* d) {
  const SteadyState& state = s.steady_state;
  const std::string verb = s.instances.size() == 1 ? "does" : "do";
  const bool growing = state.backlog_growth_rps > 0;
  d->settle(Answer::fails);
  std::string ttft =
      ttft_p99(s) + (s.first_tokens_alone > 0 ? " for all that got a first token"
                                              : " for the requests that were served");
  if (s.bottleneck.by_deadline_alone) {
    d->answer = fmt::format(
        "{} {} not answer {} in time: {}; the instances have room, but answers take longer than "
        "the deadlines allow",
        who, verb, load, reason_text(state));
  } else {
    const bool is_said = growing && state.reason.cause == SteadyCause::work_grows;
    d->answer = fmt::format("{} {} not {} {}: {}", who, verb, verb_for(config), load,
                            is_said ? "" : reason_text(state));
    if (growing) {
      d->answer += fmt::format("{}the backlog grows by {} req/s", is_said ? "" : ", and ",
                               three_digits(state.backlog_growth_rps));
      ttft = ttft_p99(s) + " grows with the length of the run";
    }
    d->action = action_against_overload(s);
  }
  if (has_latencies(s)) d->contrast = ttft;
}

void answer_open(const Summary& s, const std::string& who, const std::string& load,
                 const RunConfig& config, Decision* d) {
  const SteadyState& state = s.steady_state;
  d->settle(Answer::unclear);
  if (state.verdict == SteadyVerdict::no_load) {
    d->answer = "there is nothing to judge: " + reason_text(state);
    return;
  }
  const bool transient = state.verdict == SteadyVerdict::transient;
  d->answer = transient ? "no single figure describes this run: "
                        : fmt::format("this run cannot tell whether {} {}{} {}: ", who,
                                      verb_for(config), s.instances.size() == 1 ? "s" : "", load);
  d->answer += s.balance.concentrated
                   ? fmt::format("instance_{} got {} of the requests", s.balance.busiest,
                                 percent(s.balance.busiest_share))
                   : reason_text(state);
  if (has_latencies(s))
    d->contrast = transient ? "over all of it " + ttft_p99(s) : ttft_p99(s) + " so far";
  if (s.balance.concentrated) {
    d->action = "Spread the requests over all instances";
    return;
  }
  if (transient || state.enough_requests == 0) return;
  const std::int64_t enough = state.enough_requests;
  if (takes_too_long_to_tell(s, config)) {
    d->action = fmt::format(
        "Ask `plimsoll capacity`: a run needs about {} requests to tell{}", grouped(enough),
        traffic_ends(s, config) ? ", and this traffic ends after " + grouped(s.arrived) : "");
    return;
  }
  d->action = config.verb == "run"
                  ? fmt::format("Run it with --num-requests {} or more for an answer", enough)
                  : fmt::format("About {} requests would be enough", grouped(enough));
}

}  // namespace

std::string interval_text(const MetricInterval* i, double unit) {
  if (i == nullptr) return {};
  return "[" + three_digits(i->low / unit) + ", " + three_digits(i->high / unit) + "]";
}

bool has_latencies(const Summary& s) {
  return s.cluster.completed > 0 && static_cast<std::int64_t>(s.warmup.excluded) < s.arrived;
}

Decision decision_of(const Summary& s, const RunConfig& config) {
  const std::string who = deployed(s);
  const std::string load = load_of(s, config);
  Decision d;
  if (s.interrupted) d.doubts.emplace_back(Doubt::interrupted, 1);
  d.question = load + " with a stable queue";
  if (s.goodput && s.goodput->all.arrived > 0)
    d.question +=
        fmt::format(" and {} of the requests within each of their limits", percent(kNearlyAll));
  if (turns_lengths_away(s)) {
    answer_too_long(s, who, load, &d);
    return d;
  }
  switch (s.steady_state.verdict) {
    case SteadyVerdict::steady:
      answer_steady(s, who, load, config, &d);
      break;
    case SteadyVerdict::overloaded:
      answer_overloaded(s, who, load, config, &d);
      break;
    default:
      answer_open(s, who, load, config, &d);
  }
  if (s.interrupted && d.verdict != DecisionVerdict::no)
    d.action = "Run it to its end before you decide";
  return d;
}

}  // namespace plimsoll
