// The plan as a text to file or to mail, in the sections that capacity planners' summaries have; of
// several models, a part for each.
#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/words.h"
#include "report/form/text_report.h"
#include "report/plan/figures.h"
#include "report/plan/fleet.h"

namespace plimsoll {
namespace {

constexpr std::size_t kSummaryColumns = 80;
constexpr std::size_t kLabel = 20;

/// `subject`: "Model: qwen/qwen3-14b".
std::string summary_head(const std::string& subject, const std::string& timestamp,
                         const std::string& verdict) {
  const std::string rule(kSummaryColumns, '=');
  std::string text = rule + "\n   CAPACITY PLANNING REPORT\n   " + subject + "\n";
  if (!timestamp.empty()) text += "   Date: " + timestamp + "\n";
  return text + rule + "\n\n" + paragraph("", verdict, 0, kSummaryColumns);
}

std::string summary_heading(const std::string& title) {
  return "\n" + title + "\n" + std::string(kSummaryColumns, '-') + "\n";
}

/// Nothing without lines.
std::string summary_list(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = summary_heading(title);
  for (const std::string& line : lines) text += paragraph("-", line, 2, kSummaryColumns);
  return text;
}

std::string fact(const std::string& label, const std::string& value) {
  return paragraph(label + ":", value, kLabel, kSummaryColumns);
}

std::string instances_of(const Candidate& c) {
  if (c.has_unlike_pools()) return describe_pools(c);
  return fmt::format("{} x {} each", describe_instances(c), counted(c.gpus_per_instance(), "GPU"));
}

// Of both kinds of instances, where they are not alike.
std::string parallelism_of(const Candidate& c) {
  if (c.has_unlike_pools()) return describe_layout(c);
  const Parallelism layout = c.layout();
  const std::string experts = layout.ep > 1 ? fmt::format(", EP={}", layout.ep) : "";
  return fmt::format("TP={}, PP={}, DP={}{}", layout.tp, layout.pp, layout.dp, experts);
}

std::string configuration(const CandidateResult& best) {
  const Candidate& c = best.candidate;
  std::string software =
      fact("  Batching rule", c.batching_rule) + fact("  Max batch size", grouped(c.max_num_seqs));
  if (!c.router.empty()) software += fact("  Router", c.router);
  if (c.quantizes()) software += fact("  Weights", c.quantization);
  return summary_heading("RECOMMENDED CONFIGURATION") + "Hardware:\n" +
         fact("  GPU type", describe_gpu_types(c)) +
         fact("  Total GPUs", fmt::format("{} ({})", c.total_gpus(), instances_of(c))) +
         fact("  Parallelism", parallelism_of(c)) + "\nSoftware:\n" + software;
}

std::string performance(const PlanReport& report, const CandidateResult& best) {
  const GroupSummary& cluster = best.at_good->summary.cluster;
  const double promised = promised_rps(report, best);
  const bool promises_low = promised < best.good_rps;
  const char* least = !promises_low && is_at_range_end(report.request, best) ? "at least " : "";
  std::string use = percent(cluster.kv_utilization) + " KV memory";
  if (cluster.efficiency) use = percent(cluster.efficiency->mfu) + " MFU, " + use;
  return summary_heading("PERFORMANCE ESTIMATES") +
         fact("Throughput",
              fmt::format(
                  "{}{} req/s", least,
                  three_digits(promises_low ? promised : sustained_rps(report.plan, best)))) +
         fact("Figures below", fmt::format("at {} req/s{}", three_digits(best.good_rps),
                                           promises_low ? ", the most as simulated" : "")) +
         fact("Latency (P95)", ms_or_s(cluster.e2e.p95_ms / 1e3)) +
         fact("TTFT (P95)", ms_or_s(cluster.ttft.p95_ms / 1e3)) +
         fact("TBT (P99)", ms_or_s(cluster.itl.p99_ms / 1e3)) + fact("Resource use", use);
}

std::string cost(const PlanReport& report, const CandidateResult& best) {
  if (best.bill.lines.empty()) return {};
  const double rate_rps = promised_rps(report, best);
  std::string text =
      summary_heading("COST ANALYSIS") + fact("Hourly cost", dollars(best.usd_per_hour) + "/hour") +
      fact("Cost per 1k req", "$" + three_digits(cost_of(best, rate_rps).usd_per_1k_requests));
  if (best.usd_per_hour > 0)
    text += fact("Req/s per $/hour", three_digits(rate_rps / best.usd_per_hour));
  return text;
}

std::string compliance(const PlanReport& report, const CandidateResult* best) {
  const std::vector<Slo>& slos = report.request.slos;
  if (best == nullptr) return summary_heading("SLO COMPLIANCE: NO CANDIDATE KEEPS ALL LIMITS");
  if (slos.empty()) {
    return summary_heading("SLO COMPLIANCE: NO LIMITS ON LATENCY") + "The queue does not grow.\n";
  }
  std::string text = summary_heading("SLO COMPLIANCE: ALL SLOS MET");
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const SloFigure& f = best->at_good->slos[i];
    text += fact(name_of(slos[i]),
                 fmt::format("{} (target: < {}, {} below)", ms_or_s(f.value_ms / 1e3),
                             ms_or_s(to_seconds(slos[i].limit)), percent(f.margin(slos[i]))));
  }
  return text;
}

std::string options(const PlanReport& report, const CandidateResult& best) {
  const Neighbours beside = on_frontier_beside(report.plan, best);
  const auto option = [&](const char* name, const CandidateResult* r) -> std::string {
    if (r == nullptr) return {};
    std::string text = fmt::format("{}: {}{} req/s", describe(r->candidate),
                                   is_at_range_end(report.request, *r) ? "at least " : "",
                                   three_digits(r->good_rps));
    if (r->usd_per_hour > 0) {
      text += fmt::format(" @ {}/hour ({} req/s per $/hour)", dollars(r->usd_per_hour),
                          three_digits(r->qps_per_dollar()));
    }
    return std::string(name) + " option:\n" + paragraph("", text, 2, kSummaryColumns);
  };
  const std::string text = option("Budget", beside.cheaper) + option("Premium", beside.dearer);
  return text.empty() ? "" : summary_heading("ALTERNATIVE CONFIGURATIONS") + text;
}

/// A shell reads its lines as one.
std::string command_part(const std::string& command) {
  return summary_heading("REPEAT IT") + command_lines(command, 0, kSummaryColumns);
}

/// The best: what it is, serves and costs, how it keeps the limits, a cheaper and a larger option.
std::string plan_summary_part(const PlanReport& report) {
  const CandidateResult* best = report.best();
  if (best == nullptr) return compliance(report, nullptr);
  return configuration(*best) + performance(report, *best) + cost(report, *best) +
         compliance(report, best) + options(report, *best);
}

std::string model_title(const std::string& name) {
  const std::string rule(kSummaryColumns, '=');
  return "\n" + rule + "\n   " + name + "\n" + rule + "\n";
}

std::string model_part(const FleetReport& report, std::size_t i) {
  const PlanReport& plan = report.models[i];
  std::string text = model_title(report.names[i] + ": " + plan.model);
  if (plan.best() == nullptr) {
    const std::string why = "Not served: " + shortage_text(report, i) + ".";
    return text + "\n" + paragraph("", why, 0, kSummaryColumns);
  }
  text += "\n" + paragraph("", plan_verdict(plan), 0, kSummaryColumns) + plan_summary_part(plan);
  std::vector<std::string> basis = plan.provenance;
  if (const std::string trust = trust_text(plan); !trust.empty()) basis.push_back(trust);
  basis.push_back("assumed: " + join(plan.assumed, ", "));
  return text + summary_list("WHAT IT RESTS ON", basis);
}

}  // namespace

std::string plan_summary(const PlanReport& report) {
  const CandidateResult* best = report.best();
  std::string text =
      summary_head("Model: " + report.model, report.timestamp, plan_verdict(report)) +
      plan_summary_part(report);
  text +=
      summary_list(best == nullptr ? "WHAT WOULD HELP" : "RECOMMENDATIONS", plan_advice(report));
  std::vector<std::string> basis = report.provenance;
  basis.push_back("assumed: " + join(report.assumed, ", "));
  if (best != nullptr && !extrapolation_of(report, *best).empty()) {
    basis.push_back("extrapolated: " + extrapolation_of(report, *best));
  }
  return text + summary_list("WHAT IT RESTS ON", basis) + command_part(report.command);
}

std::string fleet_summary(const FleetReport& report) {
  std::string text =
      summary_head("Models: " + join(report.names, ", "), report.timestamp, fleet_verdict(report));
  if (const std::string limit = fleet_limit_text(report); !limit.empty()) {
    text += paragraph("", "Limit of the fleet: " + limit + ".", 0, kSummaryColumns);
  }
  for (std::size_t i = 0; i < report.names.size(); ++i) text += model_part(report, i);
  return text + command_part(report.command);
}

}  // namespace plimsoll
