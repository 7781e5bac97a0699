// The decision that `capacity` comes to: the instances or the rate that hold, with the model's
// error, and what to deploy.
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "perf/model_error.h"
#include "planner/headroom.h"
#include "report/answer/levers.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/capacity/capacity.h"

namespace plimsoll {
namespace {

// A verb after fleet_text() is in the singular.
bool is_one(const CapacityReport& r, std::int64_t count) { return count == 1 && r.pools.empty(); }

// Several numbers below the answer that were not decided, or one that nobody tested: the answer is
// enough, but by how much nobody knows.
bool fewer_are_open(const CapacityReport& r) {
  const std::int64_t open = r.fewest->instances - r.fewest->too_few - 1;
  return open > 1 || (open == 1 && r.one_fewer() == nullptr);
}

// Says what to deploy for the headroom, or what lets so much load in.
std::string action_for_headroom(const CapacityReport& r, const LoadProbe* failing,
                                std::int64_t with_slow_steps) {
  if (r.more_serve_no_more()) {
    const LoadProbe& test = *r.with_headroom;
    return fmt::format("{} for headroom: {} {} {} {} either, because the router leaves some idle",
                       kSpread, fleet_text(r, r.count_of(test)),
                       test.answer == Answer::fails ? "do not" : "could not be shown to",
                       serve_word(r, 2), load_text(test.rate_rps, r.unit));
  }
  const std::string in = let_more_in(failing, r.rate_rps * (1 + r.headroom / 100));
  if (!in.empty() && 100 * r.shown_headroom() < r.headroom) return in;
  return action_for({r.instances_of_answer(), r.instances_with_headroom(), r.headroom / 100,
                     r.hidden_peak() > 1, with_slow_steps},
                    [&](std::int64_t n) { return fleet_text(r, n); });
}

// Says which pool is short in a test that fails, and names pools that may hold its load.
std::string larger_pools(const LoadProbe& test) {
  const Bottleneck& bottleneck = test.summary.bottleneck;
  const bool has_flags = bottleneck.lever.cause == Remedy::divided_instances;
  const std::string lever = has_flags
                                ? fmt::format("try --prefill-instances {} --decode-instances {}",
                                              std::llround(bottleneck.lever.figures[0]),
                                              std::llround(bottleneck.lever.figures[1]))
                                : remedy_text(bottleneck.lever);
  const std::string shortage = capitalised(shortage_text(test.summary.pools));
  return lever.empty() ? shortage : shortage + ": " + lever;
}

// Says what to do about instances that do not hold the rate.
std::string way_out(const CapacityReport& r) {
  if (leaves_idle(r.failing())) return std::string(kSpread);
  if (std::string in = let_more_in(r.failing(), r.rate_rps); !in.empty()) return in;
  if (r.pools.empty()) return "Omit --num-instances to find how many are needed";
  return larger_pools(r.short_of_pools());
}

// A router that costs nothing comes before more instances.
std::string router_first(const CapacityReport& r, const std::string& action) {
  const bool is_enough = r.rate_rps > 0 && r.holds() && action.empty();
  if (is_enough || r.failing() == nullptr) return action;
  const std::string router = router_to_try(r.short_of_pools().summary);
  if (router.empty()) return action;
  return action.empty() ? capitalised(router) : action + ", or first " + router;
}

// "omit --max-num-seqs: with its default, 256, 1 instance is enough"
std::string without_flag_text(const CapacityReport& r) {
  const auto& [cause, figures] = *r.without_flag;
  const auto count = std::llround(figures[1]);
  const std::string usual =
      cause == Remedy::default_rule ? "by default" : "with its default, " + plain(figures[0]) + ",";
  const std::string what =
      r.fewest
          ? counted(count, "instance") + (count == 1 ? " is enough" : " are enough")
          : load_text(figures[1], r.unit) + (r.unit.counts_users() ? " are served" : " are held");
  return fmt::format("omit --{}: {} {} as simulated", flag_to_omit(cause), usual, what);
}

// A flag that was given far from its default comes before both.
std::string flag_first(const CapacityReport& r, const std::string& action) {
  const std::string omit = without_flag_text(r);
  return action.empty() ? capitalised(omit) : action + ", or first " + omit;
}

void doubt_instances(const CapacityReport& r, Decision* d) {
  doubt_haste(r.traffic, *r.best(), &d->doubts);
  const bool is_untested = std::ranges::none_of(r.fewest->tests, [&](const LoadProbe& test) {
    return test.instances < r.fewest->instances && test.answer != Answer::fails;
  });
  if (fewer_are_open(r))
    d->doubts.emplace_back(Doubt::fewer_open, r.fewest->too_few + 1, is_untested ? 1 : 0,
                           r.counts_groups() ? 1 : 0);
  const std::int64_t slow = r.instances_with_slow_steps();
  if (r.model && (slow == 0 || slow > r.fewest->instances))
    d->doubts.emplace_back(Doubt::slow_steps_need, slow, slow > 0 && r.counts_groups() ? 1 : 0);
  if (r.shown_headroom() > 0) {
    d->headroom = r.shown_headroom();
    d->headroom_is_simulated = r.model.has_value();
  } else if (r.spare && std::isfinite(r.spare->bad_rps)) {
    d->doubts.emplace_back(Doubt::no_headroom, headroom_below(r.rate_rps, r.spare->bad_rps));
  } else {
    d->doubts.emplace_back(Doubt::headroom_unknown);
  }
  d->action = action_for_headroom(r, r.spare ? r.spare->at(r.spare->bad_rps) : nullptr, slow);
}

void answer_instances(const CapacityReport& r, Decision* d) {
  const std::int64_t n = r.fewest->instances;
  d->settle(Answer::holds);
  if (fewer_are_open(r)) {
    d->answer = fmt::format("at most {} {} needed for {}", fleet_text(r, n),
                            is_one(r, n) ? "is" : "are", d->question);
    return;
  }
  d->answer = fmt::format("{} {} {}", fleet_text(r, n),
                          d->likely(serve_word(r, is_one(r, n) ? 1 : 2)), d->question);
  d->answer += unserved_text(unserved_share(*r.best()));
  const LoadProbe* fewer = r.one_fewer();
  if (fewer == nullptr) return;
  const std::string_view what = fewer->answer != Answer::fails ? "is too close to call"
                                : is_one(r, n - 1)             ? "is too few"
                                                               : "are too few";
  const std::string those = r.pools.empty() ? grouped(n - 1) : pools_text(r, n - 1);
  d->contrast = fmt::format("{} {} ({})", those, what, reason_text(*fewer, r.slos));
}

// The first test above the answer that stayed open; null: none did.
const LoadProbe* first_open_above(const CapacityReport& r) {
  return find_where(r.rate->tests, [&](const LoadProbe& test) {
    return test.rate_rps > r.rate->good_rps && test.answer == Answer::unclear;
  });
}

// "48.00 req/s is too much (TTFT p99 2.00 s)"; empty: nothing above was tested.
std::string too_much_text(const CapacityReport& r) {
  if (const LoadProbe* bad = r.failing())
    return fmt::format("{} {} ({})", load_text(bad->rate_rps, r.unit),
                       r.unit.counts_users() ? "are too many" : "is too much",
                       reason_text(*bad, r.slos));
  const LoadProbe* open = first_open_above(r);
  if (open == nullptr) return {};
  return fmt::format("at {} {}", load_text(open->rate_rps, r.unit), reason_text(*open, r.slos));
}

// "they sustain 44 req/s (90 % confidence), up to 47.40 req/s as simulated", where more was asked.
std::string held_instead(const CapacityReport& r, const std::string& most) {
  const std::string sustained = is_one(r, r.instances) ? "it sustains " : "they sustain ";
  const double low = r.interval().low;
  if (!r.model || low >= r.rate->good_rps) return sustained + most;
  return sustained + (low > 0 ? fmt::format("{} ({:.0f} % confidence), {}", load_text(low, r.unit),
                                            100 * kIntervalLevel, as_simulated(most))
                              : as_simulated(most));
}

// "up to 47.40 req/s"
std::string most_text(const CapacityReport& r) {
  return (std::isinf(r.rate->bad_rps) ? "at least " : "up to ") +
         load_text(r.rate->good_rps, r.unit);
}

// The same beside what is held even if steps are slow.
std::string most_beside(const CapacityReport& r) {
  const bool is_sure = !r.model || r.interval().low >= r.rate->good_rps;
  return is_sure ? most_text(r) : as_simulated(most_text(r));
}

// Joins what stands beside the answer with what is too much.
std::string beside_text(const CapacityReport& r, const std::string& beside) {
  std::vector<std::string> parts{beside, too_much_text(r)};
  std::erase(parts, "");
  return join(parts, "; ");
}

void answer_highest_rate(const CapacityReport& r, const std::string& who, Decision* d) {
  const double low = r.interval().low;
  doubt_haste(r.traffic, r.as_asked(), &d->doubts);
  if (low <= 0) d->doubts.emplace_back(Doubt::slow_steps, 0.0);
  d->settle(Answer::holds);
  // A yes is a promise of what is held even if steps are slow.
  const bool promises_low = d->verdict == DecisionVerdict::yes && 0 < low && low < r.rate->good_rps;
  d->answer = who + d->likely(serve_word(r, r.instances)) + " " +
              (promises_low ? load_text(low, r.unit) : most_text(r)) + at_slos(r) +
              unserved_text(unserved_share(*r.best()));
  if (r.model && low > 0 && (!promises_low || r.hidden_peak() > 1))
    d->action = action_below(low, r.hidden_peak(), r.unit);
  d->contrast = beside_text(r, promises_low ? most_beside(r) : "");
}

// Adds how much more than the rate is held, and how surely.
void spare_of_held_rate(const CapacityReport& r, Decision* d) {
  const double low = r.interval().low;
  d->headroom = r.shown_headroom();
  if (low < r.rate_rps) {
    const bool counts_users = r.unit.counts_users() && low > 0;
    d->doubts.emplace_back(Doubt::slow_steps,
                           counts_users ? static_cast<double>(r.unit.users(low)) : low,
                           counts_users ? 1 : 0);
    return;
  }
  if (r.model && low < r.rate->good_rps) d->sure_headroom = low / r.rate_rps - 1;
  if (r.keeps_headroom() && *d->headroom <= 0) d->doubts.emplace_back(Doubt::headroom_unknown);
}

void answer_held_rate(const CapacityReport& r, const std::string& who, Decision* d) {
  doubt_haste(r.traffic, r.as_asked(), &d->doubts);
  spare_of_held_rate(r, d);
  d->settle(Answer::holds);
  // It makes the answer for the rate itself no less sure.
  if (!r.keeps_headroom()) d->doubts.emplace_back(Doubt::headroom_short, r.headroom / 100);
  d->answer = who + d->likely(serve_word(r, r.instances)) + " " + d->question +
              unserved_text(unserved_share(r.as_asked()));
  if (r.pools.empty()) {
    d->action = action_for_headroom(r, r.failing(), 0);
  } else if (r.interval().low < r.rate_rps) {
    d->action = "Ask with --min-instances how many groups cover the model's error";
  }
  d->contrast = beside_text(r, most_beside(r));
}

// It holds, and a lower rate does not.
void answer_rate_above_gap(const CapacityReport& r, const std::string& who, Decision* d) {
  const bool is_idle = leaves_idle(r.failing());
  doubt_haste(r.traffic, r.as_asked(), &d->doubts);
  if (!r.keeps_headroom()) {
    d->doubts.emplace_back(Doubt::headroom_short, r.headroom / 100);
  } else if (!is_idle) {
    d->doubts.emplace_back(Doubt::headroom_unknown);
  }
  d->settle(Answer::holds);
  d->answer = who + d->likely(serve_word(r, r.instances)) + " " + d->question +
              unserved_text(unserved_share(r.as_asked()));
  if (is_idle) d->action = std::string(kSpread);
  d->contrast = beside_text(r, "");
}

void answer_missed_rate(const CapacityReport& r, const std::string& who, Decision* d) {
  const bool is_within_error = r.model && r.interval().high >= r.rate_rps;
  d->settle(Answer::fails);
  d->answer = who + (r.instances == 1 ? "does not " : "do not ") + serve_word(r, 2) + " " +
              d->question + (is_within_error ? " as simulated" : "");
  d->action = way_out(r);
  d->contrast = beside_text(r, held_instead(r, most_text(r)));
}

void answer_open_rate(const CapacityReport& r, const std::string& who, Decision* d) {
  const double low = r.interval().low;
  d->settle(Answer::unclear);
  d->answer = fmt::format(
      "whether {}{} {} {}; {} {}", who, serve_word(r, r.instances), d->question,
      r.rate->at(r.rate_rps) == nullptr ? "was not tested" : "is too close to call",
      load_text(r.rate->good_rps, r.unit), r.unit.counts_users() ? "are served" : "held");
  if (r.model && low > 0) d->action = action_below(low, r.hidden_peak(), r.unit);
  d->contrast = beside_text(r, "");
}

void answer_rate(const CapacityReport& r, Decision* d) {
  const std::string who = fleet_text(r, r.instances) + " ";
  if (r.rate_rps <= 0) return answer_highest_rate(r, who, d);
  switch (r.of_asked_rate()) {
    case Answer::holds:
      return r.rate->good_rps < r.rate_rps ? answer_rate_above_gap(r, who, d)
                                           : answer_held_rate(r, who, d);
    case Answer::fails:
      return answer_missed_rate(r, who, d);
    case Answer::unclear:
      return answer_open_rate(r, who, d);
  }
}

}  // namespace

// The rate is shown as it was typed; that of a trace has more digits than it needs.
std::string asked_load_text(const CapacityReport& r) {
  if (r.unit.counts_users()) return load_text(r.rate_rps, r.unit);
  constexpr std::size_t kTyped = 6;
  const bool is_typed = shortest(r.rate_rps).size() <= kTyped;
  return (is_typed ? plain(r.rate_rps) : four_digits(r.rate_rps)) + " req/s";
}

Decision decision_of(const CapacityReport& r) {
  Decision d;
  d.question = (r.rate_rps > 0 ? asked_load_text(r) : "the highest rate") + at_slos(r);
  if (r.interrupted) d.doubts.emplace_back(Doubt::interrupted);
  d.confidence = r.model ? kIntervalLevel : kTestLevel;
  if (!r.holds()) {
    d.settle(tested_without_answer(r));
    d.answer = why_nothing_holds(r);
    const LoadProbe* refused = too_long_to_serve(r);
    if (refused == nullptr && r.idle && loses_requests(*r.idle)) refused = &*r.idle;
    if (refused != nullptr) {
      d.action = "What helps: " + remedy_text(refused->summary.bottleneck.lever);
    } else if (r.idle && r.idle->answer == Answer::fails) {
      d.action = "Try a higher --tp or another --hardware, or relax the limit";
    } else if (r.fewest && leaves_idle(r.failing())) {
      d.action = kSpread;
    }
    return d;
  }
  // A level that changes has no interval.
  if (r.best()->state.verdict == SteadyVerdict::transient) d.confidence.reset();
  const std::size_t before = d.doubts.size();
  if (r.model_error) doubt_speed(*r.model_error, &d.doubts);
  const bool is_guess = d.doubts.size() > before;
  doubt_peak(r.best()->summary.cluster, &d.doubts);
  if (leaves_idle(r.best()) || leaves_idle(r.failing()))
    d.doubts.emplace_back(Doubt::idle_instances);
  if (r.fewest) {
    doubt_instances(r, &d);
    answer_instances(r, &d);
  } else {
    answer_rate(r, &d);
  }
  if (r.interrupted) {
    d.action = "Run it to its end before you decide";
    return d;
  }
  d.action = r.without_flag ? flag_first(r, d.action) : router_first(r, d.action);
  if (is_guess) d.action = join_sentences(std::string(kMeasureFirst), d.action);
  return d;
}

std::string capacity_verdict(const CapacityReport& r) {
  return decision_text(decision_of(r)) + "\n";
}

}  // namespace plimsoll
