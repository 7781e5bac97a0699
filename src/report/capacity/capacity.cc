#include "report/capacity/capacity.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/load_curve.h"
#include "report/answer/load_charts.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

// "3 instances", "2 groups"
std::string counted_text(const CapacityReport& r, std::int64_t count) {
  return counted(count, r.counts_groups() ? "group" : "instance");
}

// ---- why, and how sure

std::string spare_of_fewest(const CapacityReport& r) {
  if (!r.spare || !r.holds()) return {};
  std::string text = counted_text(r, r.fewest->instances) + ": " +
                     headroom_text(r.rate_rps, r.spare->good_rps, r.spare->bad_rps, r.unit);
  if (const LoadProbe* bad = r.spare->at(r.spare->bad_rps)) {
    text += fmt::format("; at {} {}", load_text(bad->rate_rps, r.unit), reason_text(*bad, r.slos));
  }
  return text;
}

// Names the limit that is missed, and the pool that decides it, where load shows none to be short.
std::string missed_limit(const CapacityReport& r, const LoadProbe& test) {
  const Pools& pools = test.summary.pools;
  if (pools.verdict != PoolVerdict::balanced && pools.verdict != PoolVerdict::idle) return {};
  for (std::size_t i = 0; i < test.slos.size() && i < r.slos.size(); ++i) {
    if (test.slos[i].answer != Answer::fails) continue;
    const std::string missed = ", but " + title_of(r.slos[i]) + " is missed";
    if (!pools.split || r.slos[i].metric == &GroupSummary::e2e) return missed;
    const bool by_prefill =
        r.slos[i].metric == &GroupSummary::ttft && pools.computes_prompts_apart();
    return missed + ", which the instances for " + (by_prefill ? "prefill" : "decode") + " decide";
  }
  return {};
}

// "at 14.90 req/s decode is short (...)"
std::string pool_that_is_short(const CapacityReport& r) {
  const LoadProbe& test = r.short_of_pools();
  if (test.summary.pools.pools.empty()) return {};
  const std::string at =
      r.fewest ? counted_text(r, r.count_of(test)) + ":" : "at " + load_text(test.rate_rps, r.unit);
  const std::string missed = missed_limit(r, test);
  const Pools& pools = test.summary.pools;
  return at + " " + (missed.empty() ? reason_text(pools) : shortage_text(pools) + missed);
}

// "at 48.6 req/s, which fail", or of instances "with 3 instances, which are too few".
std::string failing_load(const CapacityReport& r) {
  const LoadProbe* test = r.failing();
  if (test == nullptr) return {};
  if (!r.fewest)
    return "at " + load_text(test->rate_rps, r.unit) +
           (r.unit.counts_users() ? ", which are too many" : ", which is too much");
  const std::int64_t count = r.count_of(*test);
  return fmt::format("with {}, which {} too few", counted_text(r, count),
                     count == 1 ? "is" : "are");
}

std::string time_text(const CapacityReport& r) {
  const Bottleneck& b = r.best()->summary.bottleneck;
  std::string text =
      fmt::format("time goes to queue {}, prefill {}", percent(b.queue_share + b.gateway_share),
                  percent(b.prefill_share));
  if (const double wait = b.decode_wait_share + b.decode_queue_share; wait > 0)
    text += ", wait for decode " + percent(wait);
  if (b.transfer_share > 0) text += ", transfer " + percent(b.transfer_share);
  return text + fmt::format(", stall {}, decode {}", percent(b.prefill_stall_share),
                            percent(b.decode_share));
}

std::string_view limit_text(EstimateLimit limit) {
  constexpr std::string_view kLimits[]{"--max-num-seqs", "KV memory", "--max-num-batched-tokens",
                                       "the limit on gaps between tokens"};
  return kLimits[static_cast<std::size_t>(limit)];
}

// The estimate by arithmetic, for instances that are all alike.
std::string estimate_text(const CapacityReport& r) {
  const CapacityEstimate& e = r.estimate;
  // Full steps would break a limit on gaps, so that the load is held with other ones.
  constexpr double kFarAbove = 2;
  const double held = r.rate ? r.rate->good_rps / static_cast<double>(r.instances)
                             : ratio_or_zero(r.rate_rps, static_cast<double>(r.fewest->instances));
  if (!r.pools.empty() || r.idle || held > kFarAbove * e.rate_rps) return {};
  std::string text =
      fmt::format("about {} {} if steps were always full: {} (limit: {}), {} ms per token",
                  rate_text(e.rate_rps), "per instance", counted(e.batch, "request"),
                  limit_text(e.limit), three_digits(e.step_ms));
  text += fmt::format(", {} of it prefill of other requests", percent(e.prefill_share));
  if (r.fewest && e.rate_rps > 0) {
    const auto instances = static_cast<std::int64_t>(std::ceil(r.rate_rps / e.rate_rps));
    text += "; that makes " + counted(instances, "instance");
  }
  return text;
}

std::string instances_text(const CapacityReport& r, const Interval& range) {
  const std::string high = counted_text(r, std::llround(range.high));
  if (range.low <= 0)  // none that were tested hold with long steps
    return high + " with short steps, and more than were tested with long ones";
  if (range.low >= range.high) return high;
  return fmt::format("{} to {}", std::llround(range.low), high);
}

// The test right beside the answer that stayed open; null: none did.
const LoadProbe* open_test(const CapacityReport& r) {
  const LoadProbe* test = r.fewest ? r.one_fewer() : r.rate->at(r.rate_rps);
  return test != nullptr && test->answer == Answer::unclear ? test : nullptr;
}

std::string open_text(const CapacityReport& r, const LoadProbe& test) {
  constexpr std::int64_t kLonger = 4;
  const std::string what =
      fmt::format("{} at {}", counted_text(r, r.count_of(test)), asked_load_text(r));
  bool any_wanders = false;
  for (std::size_t i = 0; i < r.slos.size(); ++i) {
    any_wanders = any_wanders || wanders(r.slos[i], test.slos[i]);
  }
  if (any_wanders && test.state.verdict == SteadyVerdict::steady) {
    return what + " may be too close to the limit for any run";
  }
  return fmt::format("longer tests may decide about {} (--most-requests {})", what,
                     kLonger * test.requests);
}

// A rate that changes is judged over all of the traffic, which has no interval.
bool changes_its_rate(const CapacityReport& r) {
  const LoadProbe* best = r.best();
  return !r.tests_may_grow && best != nullptr && best->state.verdict == SteadyVerdict::transient;
}

// "[13.4, 15.1] req/s", "[60, 64] users"
std::string range_text(const CapacityReport& r, const Interval& rates) {
  if (r.unit.counts_users()) {
    return fmt::format("[{}, {}] users", grouped(r.unit.users(rates.low)),
                       grouped(r.unit.users(rates.high)));
  }
  return fmt::format("[{}, {}] req/s", four_digits(rates.low), four_digits(rates.high));
}

// "[13.4, 15.1] req/s (90 % confidence)", "7 instances (90 % confidence)".
std::string sure_text(const CapacityReport& r) {
  const Interval whole = r.interval();
  const std::string sure = " (90 % confidence)";
  if (r.fewest) return instances_text(r, *r.model) + sure;
  if (std::isinf(whole.high)) return "at least " + load_text(whole.low, r.unit) + sure;
  return range_text(r, whole) + sure;
}

std::string trust_text(const CapacityReport& r) {
  const std::int64_t runs = r.rate ? r.rate->simulations : r.fewest->simulations;
  const LoadProbe& longest = std::ranges::max(tests_of(r), {}, &LoadProbe::requests);
  std::string text = counted(runs, "run");
  if (changes_its_rate(r)) {
    text += fmt::format(
        ", each with all traffic ({} requests), whose rate varies: as given on average, {} "
        "times as high in the busiest tenth",
        grouped(longest.requests), three_digits(r.traffic.busiest_tenth));
  } else {
    const std::string requests = grouped(longest.requests) + " requests";
    text += runs == 1 ? " of " + requests : ", up to " + requests + " each";
    if (longest.is_of_share()) {
      text += fmt::format("; those of {} are simulated, since no instance depends on the others",
                          counted(longest.simulated, "instance"));
    }
    const bool any_decided = std::ranges::any_of(
        tests_of(r), [](const LoadProbe& test) { return test.answer != Answer::unclear; });
    if (any_decided) text += "; each test is decided at 95 % confidence";
  }
  if (r.holds()) {
    text += fmt::format(
        "; {} {}",
        r.rate ? load_text(r.rate->good_rps, r.unit) : counted_text(r, r.fewest->instances),
        seeds_text(r.slos, *r.best()));
  }
  if (const LoadProbe* test = open_test(r); test != nullptr && r.tests_may_grow) {
    text += "; " + open_text(r, *test);
  }
  if (r.rate && r.holds() && std::isfinite(r.rate->bad_rps)) {
    text += fmt::format("; the sustainable {} as simulated lies in {}",
                        r.unit.counts_users() ? "number" : "rate",
                        range_text(r, {r.rate->good_rps, r.rate->bad_rps}));
  }
  if (r.model) {
    text += fmt::format("; with the model's error ({}): {}", error_text(*r.model_error, r.slos),
                        sure_text(r));
  }
  return text;
}

// The answer in figures; of several pools the verdict has them. More may be the pick, as the table
// of the tests has it.
std::string capacity_tiles(const CapacityReport& r) {
  const std::int64_t n = r.instances_of_answer();
  const std::int64_t pick = r.fewest ? r.instances_to_deploy() : n;
  const auto beside_pick = [&](const std::string& label, const std::string& of_pick) {
    return pick > n ? fmt::format("{} ({} to deploy)", label, of_pick) : label;
  };
  const ConfigEntry* gpu = find_entry(r.config, "hardware");
  std::string text;
  if (r.pools.empty() && gpu != nullptr) {
    text += tile("answer_instances", static_cast<double>(n), grouped(n),
                 beside_pick(n == 1 ? "instance" : "instances", grouped(pick))) +
            tile("answer_gpus", static_cast<double>(r.gpus(n)),
                 fmt::format("{} x {}", grouped(r.gpus(n)), typed(gpu->value)),
                 beside_pick("GPUs", grouped(r.gpus(pick))));
  }
  const double rate = r.as_asked().rate_rps;
  const bool is_whole = rate == std::floor(rate);  // as it was typed
  if (r.unit.counts_users()) {
    const std::int64_t users = r.unit.users(rate);
    text += tile("answer_users", static_cast<double>(users), grouped(users), "users");
  } else {
    text += tile("answer_rate_rps", rate,
                 is_whole ? grouped(std::llround(rate)) : four_digits(rate), "req/s");
  }
  if (const double usd = r.bill(n).usd_per_hour(); usd > 0) {
    const double month = usd_of_month(usd);
    const double of_pick = r.bill(pick).usd_per_hour();
    text += tile("usd_per_hour", usd, dollars(usd), beside_pick("per hour", dollars(of_pick))) +
            tile("usd_per_month", month, whole_dollars(month),
                 beside_pick("per month", whole_dollars(usd_of_month(of_pick))));
    const double served = r.as_asked().summary.cluster.tokens_per_sec;
    const double million = usd_per_million_tokens(usd, served);
    const double pick_million = usd_per_million_tokens(of_pick, served);
    text += tile("cost_per_million_output_tokens", million, "$" + three_digits(million),
                 beside_pick("per million output tokens", "$" + three_digits(pick_million)));
  }
  return tiles(text);
}

// Explains GPU busy and headroom where they seem to contradict each other.
std::string busy_text(const CapacityReport& r) {
  constexpr double kAllTheTime = 0.95;
  constexpr double kMuch = 0.05;
  if (r.as_asked().summary.cluster.utilization < kAllTheTime || r.shown_headroom() < kMuch)
    return {};
  return element("p", "class=\"small\"",
                 "GPU busy is the share of time a step is running, be it for one request or for "
                 "256; headroom says how many more requests such steps have room for.") +
         "\n";
}

// The figures and charts of a page.
std::string charts(const CapacityReport& r) {
  if (!r.holds()) return {};
  const std::string curves = capacity_curves(r);
  return capacity_tiles(r) + section("Limits", limits_table(r.as_asked(), r.slos, "", r.unit)) +
         section("Where it breaks",
                 curves.empty() ? "" : element("div", "class=\"charts\"", curves)) +
         section("Where the time of requests goes",
                 time_figure(r.as_asked().summary.bottleneck) + busy_text(r));
}

}  // namespace

std::string pools_text(const CapacityReport& r, std::int64_t count) {
  std::vector<PoolSize> pools = r.pools;
  for (PoolSize& pool : pools) pool.instances *= r.fewest ? count : 1;
  return deployed_text(pools);
}

std::string capacity_curves(const CapacityAnswer& answer) {
  if (!answer.holds())
    return latency_figures({.tests = {},
                            .brief = answer.brief,
                            .slos = answer.slos,
                            .good = nullptr,
                            .unit = answer.unit});
  const std::optional<RateAnswer>& rates = answer.rate ? answer.rate : answer.spare;
  const double bad = rates ? rates->bad_rps : std::numeric_limits<double>::infinity();
  const std::vector<LoadProbe> tests = curve_tests(answer);
  return latency_figures({tests, answer.brief, answer.slos, &answer.as_asked(),
                          rates ? rates->at(bad) : nullptr, bad, answer.unit});
}

std::string note_on_length(std::int64_t instances, std::int64_t to_settle,
                           const ProbeEffort& effort) {
  constexpr std::int64_t kLong = 1'000'000;  // seconds of each test
  const std::string settle =
      fmt::format("{} {} about {} requests to settle", counted(instances, "instance"),
                  instances == 1 ? "takes" : "take", grouped(to_settle));
  if (to_settle > effort.most_requests) {
    return fmt::format(
        "{}, and a test has {} at most: the answer may stay open (--most-requests allows more)",
        settle, grouped(effort.most_requests));
  }
  // Arrivals of all instances are drawn, which takes little.
  if (effort.share * static_cast<double>(effort.first_requests) <= kLong) return {};
  return fmt::format(
      "{}: each of about 20 tests has {} to {} requests, at a few seconds per million "
      "(--most-requests says how many at most)",
      settle, grouped(effort.first_requests), grouped(effort.most_requests));
}

std::string binding_of(const CapacityReport& report) {
  const LoadProbe* bad = report.failing();
  if (bad == nullptr && report.idle) bad = &*report.idle;
  if (bad == nullptr) return "nothing";
  if (bad->state.lost_share > 0) return std::string(name_of(bad->summary.bottleneck.limit));
  for (std::size_t i = 0; i < bad->slos.size(); ++i) {
    if (bad->slos[i].answer == Answer::fails && bad->state.verdict != SteadyVerdict::overloaded) {
      return key_of(report.slos[i]);
    }
  }
  return "queue";
}

std::string capacity_text(const CapacityReport& r, const Style& style) {
  TextReport out(style);
  add_decision(decision_of(r), &out);
  out.figures([&] { return charts(r); });
  out.begin_section("The tests, and what they rest on");
  if (!tests_of(r).empty()) out.table(evidence(r));
  if (r.holds()) {
    // A page shows where the time goes as a bar.
    const std::string bound = binding_text(*r.best(), r.failing(), r.slos, failing_load(r));
    out.line("bound by", out.style().markup ? bound : bound + "; " + time_text(r));
    out.line("pools", pool_that_is_short(r));
  }
  out.line("headroom", spare_of_fewest(r));
  out.line("arithmetic", estimate_text(r));
  if (!tests_of(r).empty()) out.line("trust", trust_text(r));
  out.line("assumed", join(capacity_assumed(r), ", "));
  for (const NextStep& step : r.next) out.next(step.command, step.purpose);
  return out.text();
}

}  // namespace plimsoll
