#include "setup/load_maker.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/bottleneck.h"
#include "setup/traffic.h"
#include "workload/clients_source.h"
#include "workload/synthetic.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

// Seeds that confirm an answer (planner/capacity.h). Where the whole of a specification is short,
// one run of it is one day of many: as many as cost no more than one long run.
constexpr std::int64_t kOtherSeeds = 2;
constexpr std::int64_t kMostOtherSeeds = 19;
constexpr std::int64_t kRequestsOfOtherSeeds = 200'000;

std::int64_t other_seeds(std::int64_t whole_requests) {
  if (whole_requests == 0) return kOtherSeeds;
  return std::clamp(kRequestsOfOtherSeeds / whole_requests, kOtherSeeds, kMostOtherSeeds);
}

// Its requests point into the workload.
Load load_of(Traffic traffic) {
  Load load;
  load.seed = traffic.seed;
  load.horizon = traffic.horizon;
  load.keeps = std::shared_ptr<Workload>(std::move(traffic.workload));
  load.source = std::move(traffic.source);
  return load;
}

// A specification's own.
RunSpec without_rate(RunSpec run) {
  run.traffic.rate_rps = TrafficSpec().rate_rps;
  return run;
}

// As many requests as are asked for, of settings, drawn once for all runs, or of a specification
// that has no end. A plan copies it for each of its candidates.
LoadMaker drawn_load(const RunSpec& run, const std::string& model) {
  return [run = std::make_shared<const RunSpec>(run), model, draws = std::make_shared<KeptDraws>()](
             double rate_rps, std::int64_t requests) -> Result<Load> {
    RunSpec one = *run;
    one.traffic.rate_rps = rate_rps;
    one.traffic.num_requests = requests;
    TRY(made, generated_traffic(one, model));
    if (auto* source = dynamic_cast<SyntheticSource*>(made.source.get())) source->share(draws);
    return load_of(std::move(made));
  };
}

// As many users as that, who send so many requests together.
LoadMaker users_load(const RunSpec& run, const std::string& model) {
  return [run = std::make_shared<const RunSpec>(run), model](
             double users, std::int64_t requests) -> Result<Load> {
    RunSpec one = *run;
    one.traffic.concurrency = std::llround(users);
    one.traffic.num_requests = requests;
    TRY(made, generated_traffic(one, model));
    return load_of(std::move(made));
  };
}

// That of its own seed, and those of the next ones.
void add_loads(const RunSpec& run, std::int64_t others,
               const std::function<LoadMaker(const RunSpec&, bool is_own)>& load,
               ScalableTraffic* out) {
  out->load = load(run, true);
  for (std::int64_t i = 1; i <= others; ++i) {
    RunSpec other = run;
    other.traffic.seed = static_cast<std::int64_t>(out->seed) + i;
    out->other_loads.push_back(load(other, false));
  }
}

Result<ScalableTraffic> scalable_users(const RunSpec& run, const std::string& model) {
  TRY(traffic, generated_traffic(run, model));
  TRY(think_time, think_time_of(run));
  ScalableTraffic out;
  out.users = {run.traffic.concurrency, to_seconds(think_time.value_or(ThinkTime()).median())};
  out.seed = traffic.seed;
  add_loads(
      run, kOtherSeeds, [&](const RunSpec& of, bool) { return users_load(of, model); }, &out);
  out.config = std::move(traffic.config);
  std::erase_if(out.config, [](const auto& entry) { return entry.key == "num-requests"; });
  out.notes = std::move(traffic.notes);
  return out;
}

// All of a specification or a trace, whose own rate is `natural_rps`; 0: to be found out.
LoadMaker whole_load(const RunSpec& run, const std::string& model, double natural_rps) {
  return [run, model, natural_rps](double rate_rps, std::int64_t) -> Result<Load> {
    RunSpec one = run;
    if (natural_rps <= 0) one.traffic.rate_rps = rate_rps;
    TRY(made, any_traffic(one, model));
    if (natural_rps > 0) stretch(natural_rps / rate_rps, &made);
    Load load = load_of(std::move(made));
    load.is_whole = true;
    return load;
  };
}

// Those that the limit is on, of the first `most`: there may be no end of them. Counts no further
// than to `enough`.
std::int64_t requests_of(const Slo& slo, RequestSource* source, std::int64_t most,
                         std::int64_t enough) {
  std::int64_t count = 0;
  for (Request request; most > 0 && count < enough && source->next(&request); --most) {
    count += !slo.slo_class || request.slo_class == *slo.slo_class ? 1 : 0;
  }
  return count;
}

// Requests from which is told what traffic without an end is like.
constexpr std::int64_t kLookedAt = 20'000;

// A specification of which there are as many requests as anybody asks for.
Result<bool> is_endless(const RunSpec& run) {
  const TrafficSpec& asked = run.traffic;
  if (asked.workload_spec.empty() || asked.trace.is_asked()) return false;
  if (asked.num_requests || asked.horizon_us) return false;
  TRY(spec, read_workload_spec(asked.workload_spec));
  return !ends(spec);
}

// Of a class that no request has nothing can be judged.
std::vector<Slo> stated_limits(const SloTargetsByClass& targets, const LoadMaker& load) {
  std::vector<Slo> limits;
  for (const auto& [slo_class, target] : targets) {
    const std::pair<Latency, std::optional<double>> stated[]{{&GroupSummary::ttft, target.ttft_ms},
                                                             {&GroupSummary::tpot, target.itl_ms},
                                                             {&GroupSummary::e2e, target.e2e_ms}};
    for (const auto& [metric, ms] : stated) {
      if (!ms) continue;
      const Slo slo{metric, 100 * kNearlyAll, duration_from_us(1e3 * *ms), slo_class};
      auto made = load(1, kLookedAt);
      if (made && requests_of(slo, made->source.get(), kLookedAt, 1) > 0) limits.push_back(slo);
    }
  }
  return limits;
}

// A specification that goes on after the number of requests that it gives, which nobody asked for:
// that is how long a run of it is, not how much traffic there is.
bool goes_on(const RunSpec& run, const std::string& model, std::int64_t requests) {
  if (run.traffic.num_requests) return false;
  if (requests == kMostLookedAt) {  // no more were counted
    auto spec = read_workload_spec(run.traffic.workload_spec);
    return spec && spec->horizon == kNever && !ends_by_itself(*spec);
  }
  RunSpec longer = run;
  longer.traffic.num_requests = 2 * requests;
  auto made = generated_traffic(longer, model);
  if (!made) return false;
  std::int64_t count = 0;
  for (Request request; count < 2 * requests && made->source->next(&request);) ++count;
  return count == 2 * requests;
}

}  // namespace

Result<ScalableTraffic> scalable_traffic(const RunSpec& run, const std::string& model) {
  if (run.traffic.concurrency > 0) return scalable_users(run, model);
  const bool recorded = run.traffic.trace.is_asked();
  const bool drawn = run.traffic.workload_spec.empty() && !recorded;
  const RunSpec own = drawn ? run : without_rate(run);
  TRY(endless, is_endless(own));
  RunSpec looked_at = own;
  if (endless) looked_at.traffic.num_requests = kLookedAt;
  TRY(traffic, any_traffic(looked_at, model));
  if (endless) std::erase_if(traffic.config, [](const auto& e) { return e.key == "num-requests"; });
  ScalableTraffic out;
  out.seed = traffic.seed;
  if (!drawn) {
    TRY(size, size_of(traffic));
    out.natural_rps = size.rate_rps;
    if (size.moves_rounds)
      traffic.notes.emplace_back(
          "finite traffic: at another rate the pauses within its conversations shrink or "
          "grow, too");
    if (recorded || !goes_on(own, model, size.requests)) {
      out.whole_requests = size.requests;
      out.finite.busiest_tenth = size.busiest_tenth;
      out.finite.span_s = static_cast<double>(size.requests - 1) / size.rate_rps;
      if (!traffic.source->paces_sessions()) out.finite.own_rps = size.rate_rps;
    }
  }
  const auto load = [&](const RunSpec& of, bool is_own) {
    return out.whole_requests == 0 ? drawn_load(of, model)
                                   : whole_load(of, model, is_own ? out.natural_rps : 0);
  };
  add_loads(own, recorded ? 0 : other_seeds(out.whole_requests), load, &out);
  out.stated_limits = stated_limits(traffic.goodput_slo_targets, out.load);
  out.config = std::move(traffic.config);
  out.notes = std::move(traffic.notes);
  return out;
}

void count_in(const LoadUnit& unit, ScalableTraffic* traffic) {
  const auto for_rates = [unit](LoadMaker for_users) -> LoadMaker {
    return [unit, make = std::move(for_users)](double rate_rps, std::int64_t requests) {
      return make(static_cast<double>(unit.users(rate_rps)), requests);
    };
  };
  traffic->load = for_rates(std::move(traffic->load));
  for (LoadMaker& load : traffic->other_loads) load = for_rates(std::move(load));
}

std::vector<Slo> limits_of(const ScalableTraffic& traffic, std::vector<Slo> asked,
                           std::vector<std::string>* notes) {
  if (asked.empty()) return traffic.stated_limits;
  if (!traffic.stated_limits.empty())
    notes->emplace_back(
        "the limits asked for take the place of the goodput_slo_targets of the traffic");
  return asked;
}

std::int64_t requests_wanted(const RunSpec& run, const std::string& model,
                             const ScalableTraffic& traffic, const std::vector<Slo>& slos) {
  if (traffic.whole_requests == 0 || run.traffic.trace.is_asked()) return 0;
  constexpr std::int64_t kRound = 1000;
  std::int64_t most = 0;
  for (const Slo& slo : slos) {
    const std::int64_t least = least_to_tell(slo);
    auto whole = traffic.load(traffic.natural_rps, 0);
    if (!whole) return 0;
    const std::int64_t told = requests_of(slo, whole->source.get(), traffic.whole_requests, least);
    if (told == 0 || told >= least) continue;
    const std::int64_t wanted =
        (fewest_requests({slo}) * traffic.whole_requests / told / kRound + 1) * kRound;
    RunSpec more = without_rate(run);
    more.traffic.num_requests = wanted;
    auto longer = generated_traffic(more, model);
    if (!longer || requests_of(slo, longer->source.get(), wanted, least) < least) continue;
    most = std::max(most, wanted);
  }
  return most;
}

std::vector<std::string> notes_on_length(const RunSpec& run, const ScalableTraffic& traffic,
                                         std::int64_t wanted) {
  if (wanted == 0) return {};
  return {
      fmt::format("{} makes {} requests, too few to judge the limits: --num-requests {} is "
                  "enough",
                  run.traffic.workload_spec, grouped(traffic.whole_requests), wanted)};
}

}  // namespace plimsoll
