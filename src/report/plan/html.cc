#include "report/plan/page.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/load_curve.h"
#include "report/answer/load_charts.h"
#include "report/answer/next_steps.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/form/page.h"
#include "report/plan/figures.h"

namespace plimsoll {
namespace {

using Cell = PageTable::Cell;

// ---- verdict

std::string plan_tiles(const PlanReport& report, const CandidateResult& best,
                       const std::string& prefix) {
  const Candidate& c = best.candidate;
  const double promised = promised_rps(report, best);
  const bool promises_low = promised < best.good_rps;
  const PlanCost cost = cost_of(best, promised);
  const std::string layout = describe_gpu_types(c) + ": " + describe_pools(c);
  const double sustained = sustained_rps(report.plan, best);
  const std::string_view mark = mark_of(bounds_of(report.request, Alternative{&best}).rate);
  std::string text =
      tile(prefix + "total_gpus", static_cast<double>(c.total_gpus()),
           counted(c.total_gpus(), "GPU"), layout) +
      (promises_low
           ? tile(prefix + "promised_qps", promised, three_digits(promised),
                  fmt::format("sustainable req/s, {} as simulated", three_digits(sustained)))
           : tile(prefix + "max_sustainable_qps", sustained,
                  std::string(mark) + three_digits(sustained),
                  report.request.rate_rps
                      ? fmt::format("sustainable req/s, {} asked for", plain(best.good_rps))
                      : "sustainable req/s"));
  if (best.price) {
    const double per_dollar = best.usd_per_hour > 0 ? promised / best.usd_per_hour : 0;
    text +=
        tile(prefix + "cost_per_hour", best.usd_per_hour, dollars(best.usd_per_hour), "per hour") +
        tile(prefix + "cost_per_month", usd_of_month(best.usd_per_hour),
             whole_dollars(usd_of_month(best.usd_per_hour)), "per month") +
        tile(prefix + "cost_per_1k_requests", cost.usd_per_1k_requests,
             "$" + three_digits(cost.usd_per_1k_requests), "per 1,000 requests") +
        tile(prefix + "cost_per_million_output_tokens", cost.usd_per_million_tokens,
             "$" + three_digits(cost.usd_per_million_tokens), "per million output tokens") +
        tile(prefix + "qps_per_dollar", per_dollar, three_digits(per_dollar), "req/s per $/h");
  }
  return tiles(text);
}

// ---- evidence

// The curves of the pick; with a target rate those of the fleet with its spare instances, which
// serves more.
std::string curves(const PlanReport& report, const CandidateResult& best) {
  const std::vector<LoadProbe> tests = curve_tests(report.plan);
  const auto& spare = report.plan.headroom;
  const std::optional<LoadProbe>& bad = spare ? spare->at_bad : best.at_bad;
  const LoadProbe* answer = &*best.at_good;
  for (const auto* some : {&report.brief, &tests}) {
    for (const LoadProbe& test : *some) {
      if (test.rate_rps == best.good_rps) answer = &test;
    }
  }
  return latency_figures({tests, report.brief, report.request.slos, answer, bad ? &*bad : nullptr,
                          spare ? spare->bad_rps : best.bad_rps});
}

std::string evidence(const PlanReport& report, const CandidateResult& best, const PlanPart& part) {
  std::string limits = limits_table(*best.at_good, report.request.slos, part.prefix);
  if (limits.empty()) {
    limits = page_paragraph("No limit on latency was given: the queue must not grow.");
  }
  const std::string charts = frontier_figure(report) + "\n" + curves(report, best);
  const Bottleneck& bottleneck = best.at_good->summary.bottleneck;
  const std::string why =
      time_figure(bottleneck) +
      page_paragraph(
          fmt::format("Bound by {}: {}.",
                      binding_text(*best.at_good, load_too_much(report.request, report.plan, best),
                                   report.request.slos),
                      reason_text(bottleneck)));
  return section("Limits", limits, part.level) +
         section("What it costs, and where it breaks", element("div", "class=\"charts\"", charts),
                 part.level) +
         section("Where the time of requests goes", why, part.level);
}

// ---- the others

// The settings that all of them share behind their layout: ", vllm, batch 256".
std::string common_end(const std::vector<Alternative>& all) {
  std::string end;
  for (const Alternative& a : all) {
    const std::string text = describe(a.candidate());
    if (&a == &all.front()) end = text.substr(std::min(text.find(", "), text.size()));
    if (!text.ends_with(end)) return {};
  }
  return end;
}

// The reason, after the price where that is what a reader looks for.
std::string lost_text(const PlanReport& report, const Alternative& a) {
  const CandidateResult* best = report.best();
  const std::string why = why_not_text(report, a);
  if (best == nullptr || a.result == best || says_cost(report, a)) return why;
  const std::string more = extra_cost_text(report, a, *best);
  return more.empty() ? why : fmt::format("costs {} than the pick; {}", more, why);
}

std::string alternatives_of_page(const PlanReport& report) {
  const std::vector<Alternative> all = alternatives_of(report.request, report.plan);
  const std::string end = common_end(all);
  PageTable table(end.empty() ? "" : "All with " + end.substr(2),
                  {"no.", "deployment", report.request.rate_rps ? "req/s" : "simulated req/s",
                   "$/h", "req/s per $/h", "why not"});
  for (const Alternative& a : all) {
    const auto number = [](double value, const std::string& shown) {
      return shown.empty() ? Cell{} : Cell{shown, value, ""};
    };
    const CandidateResult& r = *a.result;
    const AlternativeFigures f = figures_of(report, a);
    const std::string name = describe(a.candidate());
    table.add({{std::to_string(r.id), static_cast<double>(r.id), ""},
               {name.substr(0, name.size() - end.size())},
               number(f.rate_rps, f.rate),
               number(f.usd_per_hour, f.usd),
               number(f.rate_per_usd.empty() ? 0 : f.rate_rps / f.usd_per_hour, f.rate_per_usd),
               {lost_text(report, a)}},
              &r == report.best());
  }
  return table.markup();
}

// ---- what it rests on

// "prompt-tokens 512, arrival poisson"
std::string settings_text(const std::vector<ConfigEntry>& entries) {
  std::vector<std::string> parts;
  for (const ConfigEntry& entry : entries) {
    const std::string value = typed(entry.value);
    parts.push_back(entry.key + " " + (value == "-1" ? "none" : value));
  }
  return join(parts, ", ");
}

// Lines of the text, as markup.
std::string lines_of_text(const std::function<void(TextReport*)>& add) {
  TextReport out({.markup = true});
  add(&out);
  return out.text();
}

std::string foundations(const PlanReport& report) {
  std::vector<std::string> lines{"traffic: " + settings_text(report.inputs.traffic)};
  if (!report.inputs.flags.empty()) {
    lines.push_back("for all candidates: " + settings_text(report.inputs.flags));
  }
  for (const FileDigest& file : report.inputs.files) {
    lines.push_back(fmt::format("file: {} (digest {})", file.path, file.digest));
  }
  std::set<std::string> priced;
  std::vector<std::string> prices;
  for (const Alternative& a : alternatives_of(report.request, report.plan)) {
    const CandidateResult* r = a.result;
    if (!r->price || !priced.insert(r->candidate.gpu).second) continue;
    prices.push_back(fmt::format("{} {}", r->candidate.gpu, offer_text(*r->price)));
  }
  if (!prices.empty()) lines.push_back("prices: " + join(prices, "; "));
  if (!report.request.file.empty()) lines.push_back("request: " + report.request.file);
  return lines_of_text([&](TextReport* out) { add_grounds(report, out); }) + bullets(lines);
}

// Instances share no state, so that twice as many serve about twice the highest rate.
std::string twice_the_most(const PlanReport& report, const CandidateResult& best) {
  const Candidate& c = best.candidate;
  if (report.request.rate_rps || c.replicas < 1 || c.mixes()) return {};
  const std::string cost =
      best.price ? ", " + hourly_dollars(2 * best.usd_per_hour) : std::string();
  return fmt::format("For twice that, about {} req/s: {}{}",
                     three_digits(2 * promised_rps(report, best)),
                     counted(c.instances(2 * c.replicas), "instance"), cost);
}

std::string paid_for(const PlanReport& report, const CandidateResult& best) {
  const std::string twice = twice_the_most(report, best);
  return lines_of_text([&](TextReport* out) { add_costs(report, best, out); }) +
         (twice.empty() ? "" : page_paragraph(twice + "."));
}

// The plan for twice the rate, which readers ask next; empty where the rate stands in a file.
std::string twice_the_rate(const PlanReport& report, const CandidateResult& best) {
  if (!report.request.rate_rps || best.candidate.replicas < 1 || best.candidate.mixes()) return {};
  const double rate = *report.request.rate_rps;
  const std::string said = "--rate " + plain(rate);
  std::string command = report.command + " ";
  const std::size_t at = command.find(said + " ");
  const auto instances = static_cast<double>(best.candidate.replicas);
  const double each = sustained_rps(report.plan, best) / instances;
  if (at == command.npos || !(each > 0)) return {};
  command.replace(at, said.size(), "--rate " + plain(2 * rate));
  command.pop_back();
  const double needed = std::ceil(2 * rate / each);
  std::string cost;
  if (best.price) cost = " at " + hourly_dollars(best.usd_per_hour / instances * needed);
  return page_paragraph(fmt::format(
             "Twice the rate, {} req/s, takes by arithmetic {} of the pick{}; the plan for it:",
             plain(2 * rate), counted(best.candidate.instances(std::llround(needed)), "instance"),
             cost)) +
         command_block(command);
}

std::string files_to_deploy(const PlanReport& report) {
  if (report.command.find(" --emit") != std::string::npos) return {};
  return element("p", "",
                 prose("The files that deploy the pick, with its load test (`vllm`, `kubernetes`, "
                       "`llm-d` or `dynamo`):")) +
         "\n" + command_block(report.command + " --emit vllm --output-dir deployment");
}

std::string further_commands(const PlanReport& report) {
  const CandidateResult* best = report.best();
  if (best == nullptr) return {};
  return twice_the_rate(report, *best) + files_to_deploy(report) +
         page_paragraph("The deployment by itself, the run behind the answer:") +
         command_block(run_command(*best));
}

// The pick, and how sure it is that it serves what the verdict says.
std::string pick_text(const PlanReport& report, const CandidateResult& best) {
  const std::string range = served_range_text(report);
  std::string text = describe(best.candidate);
  return range.empty() ? text : text + ". With the model's error it serves " + range + ".";
}

}  // namespace

std::string plan_part(const PlanReport& report, const PlanPart& part) {
  const CandidateResult* best = report.best();
  std::string text;
  const auto add = [&](std::string_view heading, std::string_view content) {
    text += section(heading, content, part.level);
  };
  if (best != nullptr) {
    text += page_paragraph(pick_text(report, *best)) + plan_tiles(report, *best, part.prefix) +
            evidence(report, *best, part);
  } else {
    add("What would help", bullets(plan_advice(report)));
  }
  add(best == nullptr ? "How close each GPU type came" : "Why the others lost",
      alternatives_of_page(report));
  add("Every candidate", every_candidate(report));
  if (best != nullptr) {
    add("What is paid for", paid_for(report, *best));
    add("What would cost less or serve more", bullets(plan_advice(report)));
    add("How to read the figures", bullets(plan_readings(report)));
  }
  add("What it rests on", foundations(report));
  return text;
}

std::string plan_html(const PlanReport& report) {
  return report_page("plan", dated("Plan: " + report.model, report.timestamp),
                     decision_html(decision_of(report)) + plan_part(report, {}), report.command,
                     further_commands(report));
}

}  // namespace plimsoll
