#include "report/plan/plan.h"

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "planner/plan_figures.h"
#include "report/answer/next_steps.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/form/text_report.h"
#include "report/plan/figures.h"
#include "report/plan/points.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostAlternatives = 6;
constexpr std::size_t kMostReasons = 4;

// ---- tables

std::vector<const CandidateResult*> shown(const PlanReport& r) {
  std::vector<const CandidateResult*> rows;
  for (const Alternative& a :
       alternatives_of(r.request, r.plan, {2 * kMostAlternatives, kMostAlternatives, false})) {
    rows.push_back(a.result);
  }
  std::ranges::stable_sort(rows, {}, &CandidateResult::usd_per_hour);
  return rows;
}

std::string slo_cell(const Slo& slo, const LoadProbe& probe, std::size_t i) {
  const double unit = unit_for(to_ms(slo.limit)).ms;
  return three_digits(probe.slos[i].value_ms / unit);
}

std::vector<Column> alternatives(const PlanReport& r) {
  const std::vector<const CandidateResult*> rows = shown(r);
  std::vector<Column> columns;
  const auto add = [&](std::string header, bool number, auto cell) {
    Column column{std::move(header), {}, number};
    for (const CandidateResult* row : rows) column.cells.push_back(cell(*row));
    columns.push_back(std::move(column));
  };
  add("GPUs", false, [&](const CandidateResult& c) {
    return describe_gpus(c.candidate) + (&c == r.best() ? " <- best" : "");
  });
  const auto differ = [&](auto of) {
    return std::ranges::any_of(rows, [&](const CandidateResult* row) {
      return of(row->candidate) != of(rows.front()->candidate);
    });
  };
  if (differ([](const Candidate& c) { return c.batching_rule; })) {
    add("batching rule", false, [](const CandidateResult& c) { return c.candidate.batching_rule; });
  }
  if (differ([](const Candidate& c) { return c.max_num_seqs; })) {
    add("max-num-seqs", true,
        [](const CandidateResult& c) { return std::to_string(c.candidate.max_num_seqs); });
  }
  if (differ([](const Candidate& c) { return c.max_num_batched_tokens; })) {
    add("token budget", true, [](const CandidateResult& c) {
      const std::int64_t tokens = c.candidate.max_num_batched_tokens;
      return tokens > 0 ? std::to_string(tokens) : "default";
    });
  }
  if (differ([](const Candidate& c) { return c.router; })) {
    add("routing policy", false,
        [](const CandidateResult& c) { return shown_router(c.candidate.router); });
  }
  add(r.request.rate_rps ? "req/s" : "simulated req/s", true, [&](const CandidateResult& c) {
    return (is_at_range_end(r.request, c) ? ">= " : "") + three_digits(c.good_rps);
  });
  for (std::size_t s = 0; s < r.request.slos.size(); ++s) {
    const Slo& slo = r.request.slos[s];
    add(name_of(slo) + " " + unit_for(to_ms(slo.limit)).name, true,
        [&](const CandidateResult& c) { return slo_cell(slo, *c.at_good, s); });
  }
  add("$/h", true, [](const CandidateResult& c) {
    return c.price ? fmt::format("{:.2f}", c.usd_per_hour) : "";
  });
  add("$/1k req", true, [](const CandidateResult& c) {
    return c.price ? three_digits(cost_of(c, c.good_rps).usd_per_1k_requests) : "";
  });
  add("", false, [&](const CandidateResult& c) {
    std::vector<std::string> notes{untested_text(r, c), remarks_text(c.bill)};
    if (!extrapolation_of(r, c).empty()) notes.emplace_back("extrapolated");
    if (is_guess(c)) notes.emplace_back("a guess");
    std::erase(notes, "");
    return join(notes, ", ");
  });
  for (const CandidateResult* row : rows) {
    columns.front().moods.push_back(row == r.best() ? Mood::good : Mood::none);
  }
  return columns;
}

std::string slo_lines(const PlanReport& r, const CandidateResult& best) {
  if (r.request.slos.empty()) return "none were given; the queue must not grow";
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < r.request.slos.size(); ++i) {
    const Slo& slo = r.request.slos[i];
    const SloFigure& f = best.at_good->slos[i];
    parts.push_back(fmt::format("{} {}, {} below the limit of {}", name_of(slo),
                                ms_or_s(f.value_ms / 1000), percent(f.margin(slo)),
                                ms_or_s(to_seconds(slo.limit))));
  }
  const std::string text = join(parts, "; ");
  return r.request.rate_rps ? text
                            : fmt::format("at {} req/s ", three_digits(best.good_rps)) + text;
}

std::string why_text(const PlanReport& r, const CandidateResult& best) {
  const ProbeSummary& s = best.at_good->summary;
  std::string text = fmt::format(
      "{}; GPUs busy {}, KV cache {} full",
      binding_text(*best.at_good, load_too_much(r.request, r.plan, best), r.request.slos),
      percent(s.cluster.utilization), percent(s.cluster.kv_utilization));
  if (s.cluster.efficiency) text += ", MFU " + percent(s.cluster.efficiency->mfu);
  if (best.at_bad) {
    text += fmt::format("; at {} req/s with {} {}", three_digits(best.at_bad->rate_rps),
                        counted(best.at_bad->instances, "instance"),
                        reason_text(*best.at_bad, r.request.slos));
  }
  return text;
}

std::string spare_rate_text(const PlanReport& r) {
  if (!r.plan.headroom) return {};
  const Headroom& h = *r.plan.headroom;
  const Candidate& best = r.best()->candidate;
  std::string text = headroom_text(*r.request.rate_rps, h.good_rps, h.bad_rps);
  if (best.spare > 0)
    text = fmt::format("all {}: {}",
                       counted(best.instances(best.replicas + best.spare), "instance"), text);
  if (h.at_bad) {
    text += fmt::format("; at {} req/s {}", three_digits(h.bad_rps),
                        reason_text(*h.at_bad, r.request.slos));
  }
  return text;
}

// By its name: numbers of candidates are for JSON and the page.
std::string name_of_better(const PlanReport& r, const CandidateResult& beaten) {
  return deployment_text(r.request, r.plan.better_than(beaten).candidate);
}

// Why it has no row.
std::string no_row_text(const PlanReport& r, const Alternative& a) {
  if (a.result->reason.cause != CandidateCause::beaten) return why_not_text(r, a);
  const std::string left = untested_text(r, *a.result);
  return fmt::format("{} {}{}{}", a.is_bound() ? "cannot beat" : "not better than",
                     name_of_better(r, *a.result), left.empty() ? "" : "; ", left);
}

// The best of each GPU that has no row in the table.
std::string others_text(const PlanReport& r) {
  const std::vector<const CandidateResult*> rows = shown(r);
  std::vector<std::string> parts;
  for (const Alternative& a : alternatives_of(r.request, r.plan)) {
    const auto gpu_of = [](const CandidateResult* row) { return row->candidate.gpu; };
    if (std::ranges::count(rows, a.candidate().gpu, gpu_of) > 0) continue;
    const bool has_cost = a.result->price && a.usd_per_hour() > 0;  // 0: it was never sized
    const std::string cost = has_cost ? " for " + hourly_dollars(a.usd_per_hour()) : "";
    parts.push_back(fmt::format("{}{}: {}", deployment_text(r.request, a.candidate()), cost,
                                no_row_text(r, a)));
    if (parts.size() == kMostReasons) break;
  }
  return join(parts, "; ");
}

// Rates that are no capacities, and what lies between the best and the end of the range.
std::string range_text(const PlanReport& r, const CandidateResult& best) {
  const std::vector<const CandidateResult*> rows = shown(r);
  const std::string end = three_digits(r.request.highest_rps) + " req/s";
  std::vector<std::string> parts;
  if (std::ranges::any_of(
          rows, [&](const CandidateResult* c) { return is_at_range_end(r.request, *c); })) {
    parts.push_back(fmt::format(">= {}: the end of the range; higher rates were not tested", end));
  }
  if (!r.request.rate_rps && std::isinf(best.bad_rps) && best.good_rps < r.request.highest_rps) {
    parts.push_back(fmt::format(
        "from {} to {}, the end of the range, whether the best holds is too close to call",
        three_digits(best.good_rps), end));
  }
  return join(parts, "; ");
}

std::string ruled_out_text(const PlanReport& r) {
  std::vector<std::string> parts;
  const std::vector<PrunedGroup> groups = pruned_kinds(r);
  std::size_t others = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < kMostReasons) {
      const bool alone = groups[i].ids.size() == 1;
      parts.push_back(fmt::format("{}, {}{}", grouped(std::ssize(groups[i].ids)),
                                  alone ? "" : "such as ", first_of(r.plan, groups[i])));
    } else {
      others += groups[i].ids.size();
    }
  }
  if (others > 0)
    parts.push_back(fmt::format("{} for other reasons", grouped(std::int64_t(others))));
  return join(parts, "; ");
}

std::string searched_text(const PlanReport& r) {
  const PlanCounts counts = counts_of(r.request, r.plan);
  const std::string candidates = counted(std::ssize(r.plan.candidates), "candidate");
  const std::string runs = counted(r.plan.probes, "run");
  // Then all runs were of what the limits on GPUs and money leave out.
  if (counts.evaluated == 0 && r.plan.probes > 0)
    return fmt::format("{}, none simulated within {}; {} of larger ones", candidates,
                       budget_words(r), runs);
  if (r.plan.probes == 0) return candidates + ", none simulated";
  std::string text = fmt::format("{}, {} simulated in {}, {} shown to keep all limits", candidates,
                                 grouped(std::int64_t(counts.evaluated)), runs,
                                 grouped(std::int64_t(counts.feasible)));
  if (!r.plan.ties.empty()) {
    text += fmt::format("; {} within 2 % of the best", r.plan.ties.size());
  }
  return text;
}

// Names the best of known speed where that of the pick is a guess.
std::string known_text(const PlanReport& r, const CandidateResult& best) {
  const CandidateResult& known = r.plan.candidates[*r.plan.cheapest_known];
  const std::string guess = "the speed of " + best.candidate.gpu + " is a guess; ";
  if (r.plan.known_with_slow_steps > 0) {
    return fmt::format("{}the best of better-known speed, with room for the model's error, is {}",
                       guess, surer_text(r, known));
  }
  const bool is_beaten = known.reason.cause == CandidateCause::beaten;
  return fmt::format(
      "{}the best tested of better-known speed is {}{}: {}", guess, describe_gpus(known.candidate),
      for_price(known),
      is_beaten ? "not better than " + name_of_better(r, known) : reason_text(known, r.request));
}

// Says which part of the best nobody measured, where something was measured.
std::string extrapolated_text(const PlanReport& r, const CandidateResult& best) {
  const std::string what = extrapolation_of(r, best);
  if (what.empty()) return {};
  std::string text = "the best is extrapolated: " + what;
  if (r.plan.model_error) {
    text += ", steps known to within " + spread_text(r.plan.model_error->step);
  }
  const auto is_measured = [&](const CandidateResult& c) { return extrapolation_of(r, c).empty(); };
  const CandidateResult* measured = best_where(r.request, r.plan, is_measured);
  if (measured == nullptr) {
    const bool any_left = std::ranges::any_of(r.plan.candidates, [&](const CandidateResult& c) {
      return c.fate == Fate::dominated && is_measured(c);
    });
    return text + (any_left ? "; those with measured kernels cannot beat others and were not "
                              "tested: use --gpu-types to test them"
                            : "; no GPU with measured kernels held the load");
  }
  return text + "; the best as measured is " + describe_gpus(measured->candidate) +
         for_price(*measured);
}

}  // namespace

std::string extrapolation_of(const PlanReport& report, const CandidateResult& candidate) {
  const std::size_t index = report.plan.index_of(candidate);
  return index < report.extrapolations.size() ? report.extrapolations[index] : "";
}

void add_costs(const PlanReport& r, const CandidateResult& best, TextReport* out) {
  if (best.price) out->line("cost", cost_text(r, best));
  out->line("bought", bought_text(best));
  out->line("spare", spare_text(r.request, best));
  out->line("or an API", api_text(r, best));
}

void add_grounds(const PlanReport& r, TextReport* out) {
  out->line("searched", searched_text(r));
  out->line("ruled out", ruled_out_text(r));
  out->line("trust", trust_text(r));
  out->line("measured", join(r.provenance, "; "));
  if (const CandidateResult* best = r.best()) out->line("", extrapolated_text(r, *best));
  out->line("assumed", join(r.assumed, ", "));
}

std::string plan_text(const PlanReport& r, const Style& style) {
  TextReport out(style);
  add_decision(decision_of(r), &out);
  const CandidateResult* best = r.best();
  if (best != nullptr) {
    out.table(alternatives(r));
    if (const std::string chart = frontier_text(r, style); !chart.empty()) out.add(chart + "\n");
    out.line("limits", slo_lines(r, *best));
    out.line("range", range_text(r, *best));
    out.lines("turns", turning_lines(r));
    out.line("headroom", spare_rate_text(r));
    out.line("bound by", why_text(r, *best));
    out.line("pools", pools_text(r, *best));
    add_costs(r, *best, &out);
    out.line("no price", unpriced_text(r.request, r.plan));
    if (r.plan.cheapest_known && is_guess(*best)) out.line("known", known_text(r, *best));
  } else {
    out.line("closest", closest_failures(r));
    out.lines("would help",
              mapped(plan_advice(r), [](const std::string& advice) { return advice + "."; }));
  }
  if (best != nullptr) out.line("also tried", others_text(r));
  add_grounds(r, &out);
  if (best != nullptr) {
    const std::string behind =
        promised_rps(r, *best) < best->good_rps
            ? fmt::format("the figures at {} req/s", three_digits(best->good_rps))
            : "this answer";
    out.next(run_command(*best), purpose_of_run(!r.request.slos.empty(), behind));
  }
  return out.text();
}

}  // namespace plimsoll
