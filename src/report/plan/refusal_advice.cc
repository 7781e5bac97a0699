// The advice where no candidate keeps all limits: what rules them out, and how far the nearest is
// from it.
#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"

namespace plimsoll {
namespace {

using Candidates = std::vector<const CandidateResult*>;

template <class Test>
Candidates those(const Plan& plan, Test test) {
  Candidates found;
  for (const CandidateResult& r : plan.candidates) {
    if (test(r)) found.push_back(&r);
  }
  return found;
}

bool is_laid_out(const CandidateResult& r) { return r.candidate.has_num_gpus(); }

bool is_deployable(const CandidateResult& r) { return r.estimate.rate_rps > 0; }

std::string count_of(const Candidates& candidates) {
  return counted(std::ssize(candidates), "candidate");
}

double times_replicas(double rps, const CandidateResult& r) {
  return rps * (static_cast<double>(r.candidate.replicas) + r.beside_replicas);
}

// The most that it serves for certain.
double most_of(const CandidateResult& r) { return times_replicas(r.most_rps, r); }
// The rate that it serves by arithmetic.
double about(const CandidateResult& r) { return times_replicas(r.estimate.rate_rps, r); }

class Refusals {
 public:
  explicit Refusals(const PlanReport& report) : report_(report), request_(report.request) {}

  std::vector<std::string> sentences() {
    said_ = price_advice(report_.request, report_.plan);
    by_refusal();
    by_router();
    for (std::size_t i = 0; i < request_.slos.size(); ++i) by_slo(i);
    by_rate();
    by_replicas();
    by_limits();
    by_memory();
    by_layout();
    return std::move(said_);
  }

 private:
  // However many instances there are: by the lengths of requests, or by a policy.
  void by_refusal() {
    const Candidates refusing = those(report_.plan, [](const CandidateResult& r) {
      return r.deciding && r.deciding->is_turned_away;
    });
    if (refusing.empty()) return;
    const LoadProbe& test = *refusing.front()->deciding;
    said_.push_back(fmt::format("{} {} requests away whatever the load: {}", count_of(refusing),
                                refusing.size() == 1 ? "turns" : "turn",
                                remedy_text(test.summary.bottleneck.lever)));
  }

  // However many instances there are: it leaves more of them idle.
  void by_router() {
    const Candidates uneven = those(report_.plan, [](const CandidateResult& r) {
      return r.at_bad && !r.at_good && leaves_idle(&*r.at_bad);
    });
    if (uneven.empty()) return;
    const LoadProbe& test = *uneven.front()->at_bad;
    said_.push_back(fmt::format("the router leaves instances of {} idle at {}: {}",
                                count_of(uneven), rate_text(test.rate_rps),
                                remedy_text(test.summary.bottleneck.lever)));
  }

  // Too slow at the least load that was tested. Under a growing queue no latency means anything.
  void by_slo(std::size_t slo) {
    const auto failing = [&](const CandidateResult& r) {
      return r.at_bad && !r.at_good && slo < r.at_bad->slos.size() && !r.at_bad->is_turned_away &&
             r.at_bad->slos[slo].answer == Answer::fails &&
             r.at_bad->state.verdict != SteadyVerdict::overloaded;
    };
    const Candidates slow = those(report_.plan, failing);
    if (slow.empty()) return;
    // What misses this limit alone comes first: another value for it would be enough.
    const auto distance = [&](const CandidateResult* r) {
      const LoadProbe& test = *r->at_bad;
      return std::pair(std::ranges::count(test.slos, Answer::fails, &SloFigure::answer),
                       test.slos[slo].value_ms);
    };
    const CandidateResult& nearest = **std::ranges::min_element(slow, {}, distance);
    const LoadProbe& probe = *nearest.at_bad;
    const std::string others = other_misses(probe, slo);
    constexpr double kNearlyAlone = 2;
    const double batch = probe.summary.cluster.mean_batch_size;
    std::vector<std::string> untested{"faster GPUs"};
    if (may_have_larger_tp(nearest.candidate)) {
      untested.push_back("a TP above " + std::to_string(nearest.candidate.tp));
    }
    if (batch >= kNearlyAlone && may_have_more_replicas()) untested.emplace_back("more instances");
    std::string text = fmt::format(
        "{} rules out {}. The nearest, {}, takes {} at {} req/s{}: relax {} beyond that",
        title_of(request_.slos[slo]), count_of(slow), describe(as_tested(nearest)),
        ms_or_s(probe.slos[slo].value_ms / 1e3), three_digits(probe.rate_rps),
        others.empty() ? "" : ", and misses " + others,
        others.empty() ? "the limit" : "all of these limits");
    if (request_.rate_rps && probe.rate_rps < *request_.rate_rps) {
      text += fmt::format(" ({} req/s were not tested)", plain(*request_.rate_rps));
    }
    text += ", or try " + join(untested, " or ") + ", not tested here";
    if (batch < kNearlyAlone) {
      text += fmt::format("; more instances do not help: batches are small ({} requests)",
                          three_digits(batch));
    }
    said_.push_back(std::move(text));
  }

  // "TPOT p99 < 40 ms (113 ms)"; empty: it keeps all others.
  std::string other_misses(const LoadProbe& probe, std::size_t slo) const {
    std::vector<std::string> missed;
    for (std::size_t i = 0; i < probe.slos.size() && i < request_.slos.size(); ++i) {
      if (i == slo || probe.slos[i].answer != Answer::fails) continue;
      missed.push_back(fmt::format("{} ({})", title_of(request_.slos[i]),
                                   ms_or_s(probe.slos[i].value_ms / 1e3)));
    }
    return join(missed, ", ");
  }

  // None was tested on its GPU, and a usual node has room for one.
  bool may_have_larger_tp(const Candidate& candidate) const {
    constexpr std::int64_t kUsualNode = 8;
    return candidate.tp < kUsualNode &&
           std::ranges::none_of(report_.plan.candidates, [&](const CandidateResult& r) {
             return r.candidate.gpu == candidate.gpu && r.candidate.tp > candidate.tp;
           });
  }

  // With a target rate, a search that nothing bounds has tried them.
  bool may_have_more_replicas() const {
    return !request_.rate_rps || request_.has_budget() || !request_.space.replicas.empty();
  }

  // The candidate with the replicas of the test that failed.
  static Candidate as_tested(const CandidateResult& r) {
    Candidate tested = r.candidate;
    tested.replicas = tested.replicas_of(r.at_bad->instances);
    tested.spare = 0;
    return tested;
  }

  // A rate to hold with numbers of replicas that are too small for it.
  void by_replicas() {
    if (!request_.rate_rps || request_.space.replicas.empty()) return;
    const Candidates few = those(report_.plan, [&](const CandidateResult& r) {
      const bool grows = r.at_bad && r.at_bad->state.verdict == SteadyVerdict::overloaded;
      const bool too_few =
          r.fate == Fate::pruned && is_deployable(r) && most_of(r) < *request_.rate_rps;
      return !r.at_good && (grows || too_few);
    });
    if (few.empty()) return;
    const CandidateResult& nearest =
        **std::ranges::max_element(few, {}, [](const CandidateResult* r) { return about(*r); });
    said_.push_back(fmt::format(
        "{} req/s are more than {} can serve with the instances that num_replicas allows. The "
        "nearest, {}, serves about {} by arithmetic: allow more (num_replicas), or ask for less",
        plain(*request_.rate_rps), count_of(few), describe(nearest.candidate),
        three_digits(about(nearest))));
  }

  void by_rate() {
    const double least = request_.least_rps();
    if (request_.rate_rps || least <= 0) return;
    const auto most = [](const CandidateResult& r) {
      return r.good_rps > 0 ? r.good_rps : most_of(r);
    };
    const Candidates few = those(report_.plan, [&](const CandidateResult& r) {
      return is_deployable(r) && most(r) < least && (r.good_rps > 0 || r.fate == Fate::pruned);
    });
    if (few.empty()) return;
    const CandidateResult& nearest =
        **std::ranges::max_element(few, {}, [&](const CandidateResult* r) { return most(*r); });
    said_.push_back(fmt::format(
        "{} req/s are more than {} can serve. The nearest, {}, serves {}{}: allow more instances "
        "(num_replicas), or ask for less (min_qps)",
        three_digits(least), count_of(few), describe(nearest.candidate),
        nearest.good_rps > 0 ? "" : "at most ", three_digits(most(nearest))));
  }

  // Only what was seen to hold without them may be advised.
  void by_limits() {
    if (report_.plan.beyond_limits) {
      const CandidateResult& best = *report_.plan.beyond_limits;
      const std::string price = best.price ? " for " + hourly_dollars(best.usd_per_hour) : "";
      const auto exceeded = [&](std::string BudgetLimit::*text) {
        return exceeded_limits(request_, best.candidate, best.usd_per_hour, text);
      };
      said_.push_back(fmt::format(
          "Without {}, {}{} is the best{}: raise {} to that, or add GPU types that need less",
          exceeded(&BudgetLimit::words), describe(best.candidate), price,
          is_guess(best) ? ", if the guess at its speed is right" : "",
          exceeded(&BudgetLimit::key)));
      return;
    }
    const auto limits = [&](const CandidateResult& r) {
      return budget_limits(request_, r.candidate, r.usd_per_hour);
    };
    const Candidates kept_out = those(report_.plan, [&](const CandidateResult& r) {
      return r.fate == Fate::pruned && is_deployable(r) &&
             std::ranges::any_of(limits(r), &BudgetLimit::is_exceeded);
    });
    if (kept_out.empty()) return;
    said_.push_back(fmt::format(
        "{} {} beyond {}, and {}", count_of(kept_out), kept_out.size() == 1 ? "is" : "are",
        join(mapped(limits(*kept_out.front()), &BudgetLimit::words), " and "),
        report_.plan.searched_beyond ? "none could be shown to hold without that either"
                                     : "whether any would hold without that was not tested"));
  }

  void by_memory() {
    const Candidates unfit = those(
        report_.plan, [](const CandidateResult& r) { return is_laid_out(r) && !is_deployable(r); });
    if (unfit.empty()) return;
    said_.push_back(fmt::format(
        "{} cannot be deployed ({}: {}): where memory is short, a larger TP or PP or GPUs with "
        "more memory help",
        count_of(unfit), unfit.front()->candidate.gpu, reason_text(*unfit.front(), request_)));
  }

  void by_layout() {
    const Candidates odd =
        those(report_.plan, [](const CandidateResult& r) { return !is_laid_out(r); });
    if (odd.size() < report_.plan.candidates.size()) return;
    said_.emplace_back(
        "No value of num_gpus is a product of a TP, a PP and a DP of the space: every "
        "instance takes TP x PP x DP GPUs");
  }

  const PlanReport& report_;
  const PlanRequest& request_;
  std::vector<std::string> said_;
};

}  // namespace

std::string closest_failures(const PlanReport& r) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> parts;
  for (const CandidateResult* c : nearest_failures(r.request, r.plan)) {
    if (parts.size() >= kMost) break;
    parts.push_back(describe(c->candidate) + ": " + reason_text(*c, r.request));
  }
  return join(parts, "; ");
}

std::vector<std::string> refusal_advice(const PlanReport& report) {
  return Refusals(report).sentences();
}

}  // namespace plimsoll
