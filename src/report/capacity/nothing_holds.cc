#include "report/capacity/capacity.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/levers.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"

namespace plimsoll {
namespace {

std::string slos_text(const std::vector<Slo>& slos) {
  return join(mapped(slos, [](const Slo& slo) { return title_of(slo); }), ", ");
}

// Nobody is turned away whatever the load by a policy that admits all: then it is by routing.
std::string who_turns_away(const CapacityReport& r) {
  const ConfigEntry* policy = find_entry(r.config, "admission-policy");
  if (policy == nullptr) return "requests are turned away";
  const auto name = std::get<std::string>(policy->value);
  return name == "always-admit" ? "requests are turned away"
                                : "--admission-policy " + name + " turns requests away";
}

std::string turned_away_text(const CapacityReport& r, const LoadProbe& test) {
  Limit limit = test.summary.bottleneck;
  limit.lever = bucket_alone(limit.lever);
  return fmt::format("no number of instances {} {}{}, as {} whatever the load: {}{}",
                     serve_word(r, 1), asked_load_text(r), at_slos(r), who_turns_away(r),
                     reason_text(test, r.slos),
                     test.state.lost_share > 0 ? "; " + remedy_text(limit.lever) : "");
}

// It breaks no limit by being slow: the requests that it loses have no latency.
std::string lost_when_idle_text(const CapacityReport& r) {
  const bool by_deadlines = r.idle->reason.figures[1] <= 0;
  return fmt::format("not even a nearly idle instance {}: {}",
                     by_deadlines ? "answers in time" : "serves the requests",
                     reason_text(*r.idle, r.slos));
}

}  // namespace

std::string serve_word(const CapacityReport& r, std::int64_t instances) {
  return std::string(r.unit.counts_users() ? "serve" : "hold") + (instances == 1 ? "s" : "");
}

std::string at_slos(const CapacityReport& r) {
  return r.slos.empty() ? " with a stable queue" : " at " + slos_text(r.slos);
}

const LoadProbe* too_long_to_serve(const CapacityReport& r) {
  return find_where(tests_of(r), &LoadProbe::turns_lengths_away);
}

bool loses_requests(const LoadProbe& test) { return test.reason.cause == ProbeCause::lost; }

std::string fleet_text(const CapacityReport& r, std::int64_t instances) {
  if (!r.pools.empty()) return pools_text(r, instances);
  const ConfigEntry* gpu = find_entry(r.config, "hardware");
  return fmt::format("{} ({})", counted(instances, "instance"),
                     gpu == nullptr
                         ? counted(r.gpus(instances), "GPU")
                         : fmt::format("{} x {}", grouped(r.gpus(instances)), typed(gpu->value)));
}

std::string why_nothing_holds(const CapacityReport& r) {
  if (const LoadProbe* refused = too_long_to_serve(r)) {
    const std::string what =
        r.fewest ? fmt::format("no number of instances {} {}", serve_word(r, 1), asked_load_text(r))
        : r.unit.counts_users() ? "no number of users is served"
                                : "no rate holds";
    return what + at_slos(r) + ": " + reason_text(*refused, r.slos);
  }
  if (r.idle && r.idle->answer == Answer::fails) {
    if (loses_requests(*r.idle)) return lost_when_idle_text(r);
    return fmt::format("no load meets {}: even lone requests have {}", slos_text(r.slos),
                       reason_text(*r.idle, r.slos));
  }
  if (tests_of(r).empty()) return "no test was finished";
  if (r.fewest) {
    if (const LoadProbe* test = find_in(r.fewest->tests, true, &LoadProbe::is_turned_away))
      return turned_away_text(r, *test);
  }
  if (r.fewest && leaves_idle(r.failing())) {
    return fmt::format("{} do not {} {}{} ({}), nor do more, because the router leaves some idle",
                       fleet_text(r, r.fewest->too_few), serve_word(r, 2), asked_load_text(r),
                       at_slos(r), reason_text(*r.failing(), r.slos));
  }
  if (r.fewest) {
    return fmt::format("no number of instances up to {} could be shown to {} {}{}: {}",
                       grouped(r.fewest->tests.back().instances), serve_word(r, 2),
                       asked_load_text(r), at_slos(r), reason_text(r.fewest->tests.back(), r.slos));
  }
  return fmt::format("no {} could be shown to {}{}: {}",
                     r.unit.counts_users() ? "number of users" : "rate",
                     r.unit.counts_users() ? "be served" : "hold", at_slos(r),
                     reason_text(r.rate->tests.front(), r.slos));
}

Answer tested_without_answer(const CapacityReport& r) {
  const bool any_open = std::ranges::count(tests_of(r), Answer::unclear, &LoadProbe::answer) > 0;
  if (r.idle && r.idle->answer == Answer::fails) return Answer::fails;
  return r.interrupted || any_open || tests_of(r).empty() ? Answer::unclear : Answer::fails;
}

}  // namespace plimsoll
