#include "planner/probe_record.h"

#include <fmt/format.h>

#include "metrics/summary_fields.h"

namespace plimsoll {

template <class Visitor>
void visit_fields(Visitor& v, ProbeSummary& s) {
  auto& [cluster, bottleneck, intervals, pools, found_before] = s;
  v("cluster", cluster)("bottleneck", bottleneck)("intervals", intervals);
  v("found_before", found_before);
  v.leaves_out(pools);  // no plan shows them
}

template <class Visitor>
void visit_fields(Visitor& v, SloFigure& s) {
  auto& [value_ms, interval_ms, exceeding, unserved, requests, answer, within_reach, over_seeds,
         limit_ms] = s;
  v("value_ms", value_ms)("limit_ms", limit_ms)("interval_ms", interval_ms);
  v("exceeding_share", exceeding)("unserved_share", unserved)("requests", requests);
  v("answer", answer)("within_reach", within_reach);
  v.leaves_out(over_seeds);  // a journal holds runs of one seed each
}

template <class Visitor>
void visit_fields(Visitor& v, LoadProbe& s) {
  auto& [rate_rps, instances, requests, simulated, draw, seed, seeds, answer, state, slos, reason,
         lost_share, is_turned_away, summary, interrupted, is_refuting] = s;
  v("rate_rps", rate_rps)("instances", instances)("requests", requests)("draw", draw)("seed", seed);
  v("answer", answer)("state", state)("slos", slos)("reason", reason);
  v("lost_share", lost_share)("is_turned_away", is_turned_away)("summary", summary);
  v.leaves_out(seeds, interrupted, is_refuting);  // whole runs of one seed each
  v.leaves_out(simulated);                        // no plan shows it
}

constexpr Answer last_of(Answer) { return Answer::unclear; }
constexpr ProbeCause last_of(ProbeCause) { return ProbeCause::all_in_warmup; }

std::string unit_of(std::int64_t model, std::int64_t candidate, const ProbeJob& job) {
  return fmt::format("model {} candidate {} instances {} rate {} steps {} draw {}", model,
                     candidate, job.instances, job.rate_rps, job.step_factor, job.draw);
}

Json json_of_probe(const LoadProbe& probe) { return json_of_fields(probe); }

std::optional<LoadProbe> read_probe(const Json& json) { return read_fields<LoadProbe>(json); }

bool is_probe(const Json& json) { return read_probe(json).has_value(); }

}  // namespace plimsoll
