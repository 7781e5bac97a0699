#include "report/run/terminal.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "metrics/group_summary.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostRows = 10;

std::string percent_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "" : three_digits(100 * ratio_or_zero(part, whole));
}

// The groups with most requests, in their order.
std::vector<const TrafficGroup*> largest(const std::vector<TrafficGroup>& groups) {
  std::vector<const TrafficGroup*> shown = mapped(groups, [](const TrafficGroup& g) { return &g; });
  if (shown.size() <= kMostRows) return shown;
  std::ranges::stable_sort(shown, std::ranges::greater{}, &TrafficGroup::arrived);
  shown.resize(kMostRows);
  return shown;
}

void add_group(const std::string& title, const std::vector<TrafficGroup>& groups, TextReport* out) {
  if (groups.size() < 2) return;
  const std::vector<const TrafficGroup*> rows = largest(groups);
  std::vector<Column> columns = columns_of(
      {"<" + title, "arrived", "completed %", "TTFT ms", "TPOT ms", "E2E ms", "tokens/s"});
  for (const TrafficGroup* g : rows) {
    add_row(&columns, {g->name, grouped(g->arrived), percent_of(g->completed, g->arrived),
                       three_digits(g->ttft.p99_ms), three_digits(g->tpot.p99_ms),
                       three_digits(g->e2e.p99_ms), three_digits(g->tokens_per_sec)});
  }
  if (rows.size() < groups.size()) {
    columns[0].cells.push_back(fmt::format("and {} more in --json", groups.size() - rows.size()));
  }
  out->table(columns);
}

void add_pools(const Pools& all, TextReport* out) {
  if (all.pools.empty()) return;
  std::vector<Column> columns =
      columns_of({"<pool", "instances", "busy %", "full %", "KV %", "batch", "waiting"});
  if (all.shares()) columns.push_back({"requests %", {}});
  if (all.transfers.have_own_links) columns.push_back({"link %", {}});
  for (const PoolFigures& f : all.pools) {
    std::vector<std::string> cells{f.gpu.empty() ? f.name : f.name + " " + f.gpu,
                                   grouped(f.instances),
                                   three_digits(100 * f.utilization),
                                   three_digits(100 * f.fullness),
                                   three_digits(100 * f.kv_utilization),
                                   three_digits(f.mean_batch_size),
                                   three_digits(f.mean_queue_depth)};
    if (all.shares()) cells.push_back(three_digits(100 * f.share));
    if (all.transfers.have_own_links) cells.push_back(three_digits(100 * f.link_utilization));
    add_row(&columns, cells);
  }
  out->table(columns);
  out->line("pools", reason_text(all));
  const TransferFigures& t = all.transfers;
  if (t.ended + t.given_up == 0) return;
  std::string text =
      fmt::format("{} transfers of KV blocks, {} each on average, at most {} at once",
                  grouped(t.ended), ms_or_s(t.mean_ms / 1000), t.most_at_once);
  if (t.utilization > 0)
    text +=
        fmt::format("; {} is {} full", t.is_network || t.have_own_links ? link_name(t) : "the link",
                    percent(std::fmin(1, t.utilization)));
  text += t.first_token_by_prefill ? "; the first token comes from prefill"
                                   : "; the first token comes from decode";
  if (t.given_up > 0) text += fmt::format("; {} given up on the way", grouped(t.given_up));
  out->line("transfers", text);
}

std::string session_figures_text(const SessionFigures& s, const Users& users) {
  std::string text = fmt::format("{} with {} requests", grouped(s.sessions), grouped(s.rounds));
  const auto add = [&](std::int64_t rounds, const LatencySummary& ttft, const char* which) {
    if (rounds == 0) return;
    text += fmt::format("; TTFT p50 {} (p99 {}) in {} rounds", ms_or_s(ttft.p50_ms / 1000),
                        ms_or_s(ttft.p99_ms / 1000), which);
  };
  add(s.cold_rounds, s.ttft_cold, "first");
  add(s.warm_rounds, s.ttft_warm, "later");
  if (s.should_be_together())
    text += fmt::format(
        "; {} of later rounds find the previous one cached: --routing-policy "
        "session-affinity brings them there",
        percent(s.found_before));
  if (s.timed_sessions > 0) {
    text += fmt::format("; a session lasts {} (p50; p99 {})", ms_or_s(s.duration.p50_ms / 1000),
                        ms_or_s(s.duration.p99_ms / 1000));
  }
  if (users.gave_up > 0) {
    text +=
        fmt::format("; {} of {} users gave up after a request that timed out or was turned away",
                    grouped(users.gave_up), grouped(users.users));
  }
  return text;
}

// "TTFT p99 104 to 131 ms", or nothing if the run has no such interval.
std::string range_text(const std::vector<MetricInterval>& intervals, const Figure& figure) {
  const MetricInterval* at = find_interval(intervals, figure.key());
  const std::string title = figure.title();
  if (at == nullptr) return "";
  if (std::isinf(at->high)) return fmt::format("{} {} at best", title, ms_or_s(at->low / 1000));
  return fmt::format("{} {} to {}", title, ms_or_s(at->low / 1000), ms_or_s(at->high / 1000));
}

double width_of(const MetricInterval& i) { return i.high - i.low; }

// The interval for the tail, where the run is long enough for one.
std::string model_text(const Summary& s) {
  const ModelBand& band = *s.model_band;
  std::string text = fmt::format("step times are known to within {} ({})",
                                 spread_text(band.error.step), kernels_text(band.error.regime));
  std::string ttft = range_text(band.combined, figure("ttft_p99_ms"));
  if (ttft.empty()) ttft = range_text(band.combined, figure("ttft_mean_ms"));
  const std::string e2e = range_text(band.combined, figure("e2e_mean_ms"));
  std::vector<std::string> ranges{ttft, e2e};
  std::erase(ranges, "");
  if (!ranges.empty()) text += ": " + join(ranges, ", ");
  if (band.slow == SteadyVerdict::overloaded) {
    return text + "; with the slowest of these steps the load is too much";
  }
  if (band.slow != SteadyVerdict::steady) {
    return text + "; with the slowest of these steps the load may be too much";
  }
  const double model = width_of(band.model.front());
  const double sampling = width_of(s.intervals.front());
  return text + (model > sampling ? "; this error, not the length of the run, dominates"
                                  : "; a longer run would narrow the interval");
}

std::string goodput_text(const Summary& s) {
  const GoodputFigures& all = s.goodput->all;
  if (all.arrived == 0) return "no request has a class with a limit";
  const MetricInterval* interval = find_interval(s.intervals, "slo_attainment");
  std::string text = fmt::format("{} of {} requests within their limits: {}", grouped(all.good),
                                 grouped(all.arrived), percent(all.attainment));
  if (interval != nullptr) {
    text += fmt::format(" [{}, {}]", three_digits(100 * interval->low),
                        three_digits(100 * interval->high));
  }
  text += fmt::format(", {} req/s", three_digits(all.goodput_rps));
  if (s.goodput->classes.size() == 1 || s.classes.size() < 2) return text;
  for (const ClassGoodput& c : s.goodput->classes) {
    if (c.figures.arrived == 0) continue;
    text += fmt::format("; {} {}", c.name, percent(c.figures.attainment));
  }
  return text;
}

std::string power_text(const Efficiency& e) {
  if (e.energy_j_per_output_token == 0) return {};
  return fmt::format("; about {} W per GPU while busy, {} J per output token",
                     three_digits(e.gpu_power_w), three_digits(e.energy_j_per_output_token));
}

// Of unlike pools that of the fullest: a mean over prefill and decode says nothing of either.
std::string kv_memory_text(const Summary& s) {
  double used = s.cluster.kv_utilization;
  std::string of;
  if (!s.pools.pools.empty()) {
    const PoolFigures& fullest =
        *std::ranges::max_element(s.pools.pools, {}, &PoolFigures::kv_utilization);
    used = fullest.kv_utilization;
    of = " of " + fullest.name;
  }
  const bool binds = s.bottleneck.resource == ShortResource::kv_memory;
  return fmt::format("KV memory{} {} used ({})", of, percent(used),
                     kv_memory_reading(binds ? 1 : used));
}

// What to do about it depends on what binds, and the lever says so.
std::string efficiency_text(const Summary& s) {
  const GroupSummary& c = s.cluster;
  const Efficiency& e = *c.efficiency;
  if (needs_more_requests(s) && e.mfu <= 1) {
    return fmt::format("MFU {}, MBU {} while busy; KV memory {} used", percent(e.mfu),
                       percent(e.mbu), percent(c.kv_utilization)) +
           power_text(e);
  }
  std::string mfu(mfu_reading(e.mfu));
  if (e.mfu > 1) {
    mfu += fmt::format(": the step-time model is {} times faster than the peak of the GPU here",
                       three_digits(e.mfu));
  }
  return fmt::format("MFU {} ({}), MBU {} while busy; {}", percent(e.mfu), mfu, percent(e.mbu),
                     kv_memory_text(s)) +
         power_text(e);
}

std::string fairness_text(const Summary& s) {
  std::vector<std::string> parts;
  if (s.tenant_fairness) {
    parts.push_back(fmt::format("Jain index over tenants {:.3f} (tokens), {:.3f} (requests)",
                                s.tenant_fairness->jain_tokens, s.tenant_fairness->jain_requests));
  }
  if (s.priority_inversions.requests > 0) {
    parts.push_back(fmt::format("{} requests were overtaken by less urgent ones",
                                grouped(s.priority_inversions.requests)));
  } else if (s.priority_inversions.pairs > 0) {
    parts.push_back(fmt::format("{} priority inversions", grouped(s.priority_inversions.pairs)));
  }
  if (s.blocked_instances > 0) {
    parts.push_back(fmt::format("far longer queues than the rest on {} of {} instances",
                                grouped(s.blocked_instances), grouped(std::ssize(s.instances))));
  }
  return join(parts, "; ");
}

std::string saturation_text(const std::vector<SaturationLabel>& labels, SteadyVerdict verdict) {
  std::vector<std::string> parts;
  for (const SaturationLabel& l : labels) {
    const bool stable = l.level == SaturationLevel::stable;
    const char* against =
        verdict == SteadyVerdict::steady && !stable      ? " (against the verdict: steady)"
        : verdict == SteadyVerdict::overloaded && stable ? " (against the verdict: overloaded)"
                                                         : "";
    parts.push_back(fmt::format("{} {}{}", l.detector, level_name(l.level), against));
  }
  return join(parts, ", ");
}

// By how much the score would rise if all its latencies were half as long; none where it has none.
std::optional<double> gain_of_faster_answers(const Fitness& fitness) {
  double gain = 0;
  for (const FitnessComponent& c : fitness.components) {
    if (!c.latency || !c.measured || !(c.value > 0)) continue;
    const double in_references = 1 / c.value - 1;
    gain += c.weight * (1 / (1 + in_references / 2) - c.value);
  }
  if (!(fitness.score > 0) || gain == 0) return std::nullopt;
  return gain / fitness.score;
}

std::string fitness_text(const Fitness& fitness) {
  std::vector<std::string> parts = mapped(fitness.components, [](const FitnessComponent& c) {
    return fmt::format("{} {:.6f} x {}", c.key, c.value, shortest(c.weight));
  });
  std::string text = fmt::format("{:.6f} = {}", fitness.score, join(parts, " + "));
  if (const auto gain = gain_of_faster_answers(fitness)) {
    text += fmt::format(". With all latencies halved the score would be {} higher", percent(*gain));
  }
  return text;
}

std::string decisions_text(const DecisionSummary& d) {
  const auto instances = std::ssize(d.targets);
  std::string text = fmt::format("{} admitted, {} rejected; {} routed to {} of {} instances",
                                 grouped(d.admitted), grouped(d.rejected), grouped(d.routed()),
                                 grouped(d.unique_targets()), grouped(instances));
  if (d.no_target > 0) text += fmt::format(", {} without a target", grouped(d.no_target));
  if (instances > 1) {
    const auto [least, most] = std::ranges::minmax(d.targets);
    text += fmt::format(" ({} to {} each)", grouped(least), grouped(most));
  }
  if (d.prompts_apart + d.prompts_kept > 0) {
    text += fmt::format("; {} prompts computed on instances for prefill, {} with the answer",
                        grouped(d.prompts_apart), grouped(d.prompts_kept));
  }
  if (d.regret && d.excess_load) {
    text += fmt::format("; regret mean {:.6f}, max {:.6f}; excess load mean {}, max {}",
                        d.regret->mean, d.regret->max, three_digits(d.excess_load->mean),
                        three_digits(d.excess_load->max));
  }
  return text;
}

}  // namespace

void add_groups(const Summary& summary, TextReport* out) {
  add_group("p99 by class", summary.classes, out);
  add_group("p99 by tenant", summary.tenants, out);
}

void add_sections(const Summary& summary, TextReport* out) {
  add_pools(summary.pools, out);
  if (summary.model_band) out->line("model", model_text(summary));
  if (summary.sessions.sessions > 0)
    out->line("sessions", session_figures_text(summary.sessions, summary.users));
  if (summary.goodput) out->line("goodput", goodput_text(summary));
  if (summary.cluster.efficiency && summary.cluster.completed > 0) {
    out->line("efficiency", efficiency_text(summary));
  }
  out->line("fairness", fairness_text(summary));
  out->line("detectors", saturation_text(summary.saturation, summary.steady_state.verdict));
  if (summary.fitness) out->line("fitness", fitness_text(*summary.fitness));
  if (summary.decisions && summary.decisions->in_text) {
    out->line("decisions", decisions_text(*summary.decisions));
  }
  out->line("warm-up", reason_text(summary.warmup));
}

}  // namespace plimsoll
