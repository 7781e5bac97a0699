#include "report/forecast/words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/headroom/trigger.h"
#include "report/answer/reasons.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostNamed = 4;

// What the deployment feels, so that limits on latencies show it first.
bool is_felt(Resource resource) {
  return resource == Resource::requests || resource == Resource::prompt_tokens ||
         resource == Resource::output_tokens || resource == Resource::active_kv_tokens ||
         resource == Resource::queue_delay;
}

const Slo* first_limit(const ScenarioRow& row, const std::vector<Slo>& slos, double* value_ms) {
  const auto pressed = row.pressed();
  const bool fails = row.peak && row.peak->probe.answer == Answer::fails;
  return fails || (pressed && is_felt(*pressed)) ? tightest_limit(row, slos, value_ms) : nullptr;
}

double preemptions_per_1k(const LoadProbe& probe) {
  const double requests = static_cast<double>(std::max<std::int64_t>(1, probe.requests));
  return 1000 * static_cast<double>(probe.summary.cluster.preemptions) / requests;
}

// A cache that is full shows itself by preemptions, while requests/s look as they should.
std::string preemptions_text(const ScenarioRow& row) {
  constexpr double kSome = 1;
  if (!row.peak || preemptions_per_1k(row.peak->probe) < kSome) return {};
  return fmt::format(", with {} preemptions per 1k requests",
                     three_digits(preemptions_per_1k(row.peak->probe)));
}

std::string first_to_degrade(const ScenarioRow& row, const std::vector<Slo>& slos) {
  if (row.peak && row.peak->probe.answer == Answer::fails)
    return reason_text(row.peak->probe, slos);
  double value_ms = 0;
  if (const Slo* slo = first_limit(row, slos, &value_ms)) {
    return fmt::format("{} at {} of {} ms", name_of(*slo), three_digits(value_ms),
                       three_digits(to_ms(slo->limit)));
  }
  const auto pressed = row.pressed();
  if (!pressed) return "nothing is known to degrade";
  return fmt::format("{} at {}", facts_of(*pressed).title, share_text(*row.used(*pressed)));
}

// Where the figure that breaks its limit stands in the list that follows, the limit alone.
std::string reason_beside_figures(const LoadProbe& probe, const std::vector<Slo>& slos) {
  if (probe.reason.cause != ProbeCause::slo_figure || probe.state.grows())
    return reason_text(probe, slos);
  const Slo& slo = slos[static_cast<std::size_t>(probe.reason.figures[0])];
  const bool is_listed =
      slo.metric != &GroupSummary::itl && (slo.percentile == 95.0 || slo.percentile == 99.0);
  return is_listed ? title_of(slo) + " is broken" : reason_text(probe, slos);
}

std::string value_text(const Trigger& trigger) {
  if (const auto resource = find_resource(trigger.metric))
    return amount_text(*resource, trigger.value);
  return (trigger.unit == "share" ? percent(trigger.value) : ms_or_s(trigger.value / 1e3)) + " " +
         trigger.title;
}

}  // namespace

std::string amount_text(double value) {
  if (!std::isfinite(value)) return "none";
  if (std::abs(value) >= 999'500'000) return three_digits(value / 1e9) + "G";
  if (std::abs(value) >= 999'500) return three_digits(value / 1e6) + "M";
  if (std::abs(value) >= 9'995) return three_digits(value / 1e3) + "k";
  return three_digits(value);
}

std::string run_out_text(Resource resource) {
  switch (resource) {
    case Resource::budget:
      return "the budget is exceeded";
    case Resource::context_tokens:
      return "requests exceed the context window";
    case Resource::queue_delay:
      return "the queue delay exceeds its limit";
    case Resource::gpus:
      return "GPUs run out";
    default:
      return std::string(facts_of(resource).title) + " exceed capacity";
  }
}

std::string amount_text(Resource resource, double value) {
  if (resource == Resource::budget) return "$" + amount_text(value) + " a month";
  return amount_text(value) + " " + std::string(facts_of(resource).title);
}

std::string share_text(double share) {
  return std::isfinite(share) ? percent(share) : std::string("none there");
}

std::string first_signal(const ScenarioRow& row, const std::vector<Slo>& slos) {
  if (!row.problem.empty()) return row.problem;
  return first_to_degrade(row, slos) + preemptions_text(row);
}

std::string guardrail(const ScenarioRow& row, const std::vector<Slo>& slos) {
  double value_ms = 0;
  if (const Slo* slo = first_limit(row, slos, &value_ms)) return title_of(*slo);
  if (!row.problem.empty()) return "not known";
  const auto pressed = row.pressed();
  if (!pressed) return "none";
  return fmt::format("{} below {}", facts_of(*pressed).title,
                     amount_text(*at(row.capacity, *pressed)));
}

std::string rollback_trigger(const ScenarioRow& row) {
  if (!row.problem.empty()) return "not known";
  if (!row.trigger) return "never: nothing has a capacity";
  if (row.trigger->metric == kCohortShare && row.trigger->value <= 0)
    return "at the first " + row.trigger->title + ", which are too long to be served";
  const std::string at = (row.trigger->is_floor ? "below " : "above ") + value_text(*row.trigger);
  if (row.trigger->only_in_scenario) return at + " while it lasts";
  return row.trigger->is_passed ? "not enough: the forecast without the scenario is already " + at
                                : at;
}

std::string rollback_sentence(const ScenarioRow& row) {
  const bool is_passed = row.trigger && row.trigger->is_passed && row.trigger->value > 0;
  return (is_passed ? "Rolling back is " : "Roll back ") + rollback_trigger(row);
}

std::string title_of(const Route& route) {
  return route.version.empty() ? route.name : route.name + " " + route.version;
}

std::optional<double> at_once(const HeadroomSheet& headroom, const Route& route) {
  const auto found = std::ranges::find(headroom.concurrency, route.name, &RouteConcurrency::route);
  if (found == headroom.concurrency.end()) return std::nullopt;
  return found->requests;
}

double useful_share(const HeadroomSheet& headroom, const Route& route) {
  return route.share_of_use() * servable_share(headroom.too_long, route.name);
}

std::string peak_sentence(const PeakCheck& peak, const std::vector<Slo>& slos) {
  const GroupSummary& c = peak.probe.summary.cluster;
  const double requests = static_cast<double>(std::max<std::int64_t>(1, peak.probe.requests));
  const auto latencies = [](const LatencySummary& l) {
    return fmt::format("p95 {}, p99 {}", ms_or_s(l.p95_ms / 1e3), ms_or_s(l.p99_ms / 1e3));
  };
  std::string text = fmt::format(
      "{} req/s simulated: {}. ", three_digits(peak.probe.rate_rps),
      peak.probe.answer != Answer::holds ? reason_beside_figures(peak.probe, slos)
      : refused_share(peak)
          ? "the others are held, but " + percent(*refused_share(peak)) + " are too long"
          : "held");
  text +=
      peak.probe.state.grows()
          ? "Latencies grow for as long as it lasts"
          : fmt::format("TTFT {}; TPOT {}; E2E {}; {} preemptions per 1k requests; {} completed",
                        latencies(c.ttft), latencies(c.tpot), latencies(c.e2e),
                        three_digits(preemptions_per_1k(peak.probe)),
                        percent(static_cast<double>(c.completed) / requests));
  if (!peak.line.is_known) return text + ". The share that can be handled is too close to call";
  if (peak.line.factor <= 0) return text + ". No share of it can be handled";
  return text + fmt::format(". Handles {}x the forecast peak [{}, {}]",
                            three_digits(peak.line.factor), three_digits(peak.held().low),
                            three_digits(peak.held().high));
}

std::string held_text(const std::optional<PeakCheck>& peak) {
  if (!peak) return "-";
  if (!peak->line.is_known) return "not known";
  if (peak->line.factor <= 0) return "none";
  const bool is_at_limit = peak->probe.answer == Answer::unclear && peak->line.factor == 1;
  return (is_at_limit ? "about " : "") + percent(peak->line.factor);
}

std::string moment_text(const RunwaySheet& sheet, double time_s) {
  if (!sheet.dated) return three_digits(time_s) + " s";
  constexpr double kDaySeconds = 86'400;
  constexpr std::size_t kDate = 10;  // "2026-11-22"
  if (sheet.window_s < kDaySeconds) return iso_time(sheet.utc_of(time_s));
  return iso_time(time_s + sheet.zone_s).substr(0, kDate);
}

std::string order_moment_text(const ForecastReport& r, const Order& order) {
  if (!order.by_s) return {};
  return order.late ? "now" : "by " + moment_text(*r.runway, *order.by_s);
}

std::string order_text(const ForecastReport& r, const std::string& what, const Order& order,
                       const std::optional<double>& usd_per_month, const std::string& confidence) {
  std::vector<std::string> details{
      confidence, usd_per_month ? "$" + amount_text(*usd_per_month) + " a month" : std::string()};
  std::erase(details, "");
  std::string text =
      order.by_s ? "order " + what + " " + order_moment_text(r, order) : "add " + what;
  return details.empty() ? text : text + " (" + join(details, ", ") + ")";
}

std::string added_cost_text(const std::optional<double>& usd) {
  if (!usd) return "-";
  if (std::abs(*usd) < 1) return "0";
  return (*usd < 0 ? "-" : "+") + amount_text(std::abs(*usd));
}

std::string gain_per_dollar_text(const LeverResult& lever) {
  if (lever.gains_for_nothing()) return "free";
  if (lever.saves()) return "saves";
  const auto gain = lever.more_per_1k_usd();
  if (gain) return "+" + three_digits(100 * *gain) + " points";
  if (lever.gains()) return "-";
  return lever.more_interval && !lever.loses() ? "uncertain" : "no gain";
}

std::string more_text(const LeverResult& lever) {
  const auto points = [](double share) {
    return (share < 0 ? "" : "+") + three_digits(100 * share);
  };
  if (lever.changes_nothing()) return "within " + three_digits(100 * kToldApart) + " points";
  const auto& within = lever.more_interval;
  if (!within) return points(lever.more) + " points";
  return fmt::format("{} [{}, {}] points", points(lever.more), points(within->low),
                     points(within->high));
}

std::string pressures_text(const LeverResult& lever) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string> parts;
  if (lever.lever.changes_answers) parts.emplace_back("answers may change");
  if (lever.lever.is_other_gpu) parts.emplace_back("measure it there first");
  for (const Pressure& p : lever.worse) {
    if (parts.size() == kShown) break;
    parts.push_back(
        fmt::format("{} {} -> {}", p.what, three_digits(p.before), three_digits(p.after)));
  }
  if (parts.empty() && lever.loses()) return "less is handled";
  return parts.empty() ? "nothing" : join(parts, ", ");
}

std::string order_text(const RunwaySheet& sheet, const RunwayRow& row) {
  if (!row.runway.known) return "not known";
  if (!row.order.by_s) return "not needed";
  if (row.order.late)
    return fmt::format("now; {} chance it arrives too late", percent(row.order.chance_if_now));
  return moment_text(sheet, *row.order.by_s);
}

std::string method_text(const RunwayRow& row) {
  return row.by_requests ? "as requests" : name_of(forecast_methods(), row.outlook.method);
}

std::string title_of(const RunwayRow& row) {
  const std::string title(facts_of(row.resource).title);
  return row.provider.empty() ? title : title + " of " + row.provider;
}

std::string gpu_plan_text(const RunwaySheet& sheet) {
  constexpr std::size_t kMiddle = kBandPercents.size() / 2;
  const GpuPlan& plan = sheet.gpu_plan;
  if (plan.steps.empty()) return {};
  std::string text =
      fmt::format(". At its peak in that time the load needs {} [{}, {}]",
                  counted(plan.most[kMiddle], "GPU"), plan.most.front(), plan.most.back());
  if (plan.add_gpus > 0) {
    text += fmt::format("; that takes {} more", counted(plan.add_gpus, "GPU"));
    if (plan.add_usd_per_month) {
      text += fmt::format(", for ${} a month", amount_text(*plan.add_usd_per_month));
    }
  }
  return text;
}

std::string reserve_sentence(const ForecastReport& r, const ReservePlan& plan) {
  const std::string bill = fmt::format("${} a month", amount_text(plan.usd_per_month));
  if (plan.gpus == 0) return "nothing is worth a reservation: all on demand costs " + bill;
  const auto most = quota_of_gpus(r, plan.gpus);
  const std::string quota =
      most ? fmt::format("; first have the quota of {} raised", counted(*most, "GPU")) : "";
  const std::string spare = plan.spare <= 0 ? ""
                                            : fmt::format(" ({} of them to survive a loss)",
                                                          grouped(std::min(plan.spare, plan.gpus)));
  return fmt::format(
      "of the GPUs that are needed over time, {} reserved{} and the rest on demand cost the least: "
      "{} on average, ${} [{}, {}] less than all on demand{}",
      grouped(plan.gpus), spare, bill, amount_text(plan.saving_usd_per_month),
      amount_text(plan.saving_band.low), amount_text(plan.saving_band.high), quota);
}

std::string history_text(const DemandHistory& history) {
  if (history.profiles.empty()) return {};
  std::size_t shown = 0;
  for (std::size_t i = 0; i < history.columns.size(); ++i) {
    if (history.columns[i].resource == Resource::requests) shown = i;
  }
  const DemandProfile& p = history.profiles[shown];
  std::string text = fmt::format("{}: p50 {}, p95 {}; coefficient of variation {}",
                                 facts_of(history.columns[shown].resource).title,
                                 amount_text(p.p50), amount_text(p.p95), three_digits(p.cv));
  if (p.dispersion) text += ", index of dispersion " + three_digits(*p.dispersion);
  if (const auto hour = p.peak_hour()) {
    text += fmt::format("; the peak hour is {:02}:00 {}, {} of the mean", *hour,
                        history.history.zone_s == 0 ? "UTC" : "local time",
                        percent(p.by_hour[static_cast<std::size_t>(*hour)]));
  }
  if (!p.by_weekday.empty()) {
    constexpr std::string_view kDays[]{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    std::vector<std::string> days;
    for (std::size_t i = 0; i < p.by_weekday.size(); ++i) {
      days.push_back(fmt::format("{} {}", kDays[i], percent(p.by_weekday[i])));
    }
    text += "; by weekday, share of the mean: " + join(days, ", ");
  }
  return text + ".";
}

std::string titles_of(const std::vector<Resource>& resources) {
  std::vector<std::string> titles;
  for (const Resource resource : resources) {
    if (titles.size() == kMostNamed) {
      titles.push_back(fmt::format("{} more", resources.size() - kMostNamed));
      break;
    }
    titles.emplace_back(facts_of(resource).title);
  }
  return titles.empty() ? "nothing" : join(titles, ", ");
}

std::string worse_text(const ScenarioRow& row) {
  if (row.is_outage) return "nothing is served";
  return row.problem.empty() ? titles_of(row.worse) : "not simulated";
}

}  // namespace plimsoll
