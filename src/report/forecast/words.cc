#include "report/forecast/words.h"

#include <algorithm>

#include <fmt/format.h>

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

// A price or a limit that changes makes no queue grow.
bool is_beside_load(const ScenarioRow& row) {
  const bool fails = row.peak && row.peak->probe.answer == Answer::fails;
  return fails && !row.worse.empty() && std::ranges::none_of(row.worse, is_felt);
}

const Slo* first_limit(const ScenarioRow& row, const std::vector<Slo>& slos, double* value_ms) {
  if (is_beside_load(row)) return nullptr;
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
  if (!row.peak || is_beside_load(row) || preemptions_per_1k(row.peak->probe) < kSome) return {};
  return fmt::format(", with {} preemptions per 1k requests",
                     three_digits(preemptions_per_1k(row.peak->probe)));
}

std::string first_to_degrade(const ScenarioRow& row, const std::vector<Slo>& slos) {
  const auto used_text = [&](Resource resource) {
    return fmt::format("{} at {}", facts_of(resource).title, share_text(*row.used(resource)));
  };
  if (is_beside_load(row)) return used_text(row.worse.front());
  if (row.peak && row.peak->probe.answer == Answer::fails)
    return reason_text(row.peak->probe, slos);
  double value_ms = 0;
  if (const Slo* slo = first_limit(row, slos, &value_ms)) {
    return fmt::format("{} at {} of {} ms", name_of(*slo), three_digits(value_ms),
                       three_digits(to_ms(slo->limit)));
  }
  const auto pressed = row.pressed();
  if (!pressed) return "nothing is known to degrade";
  return used_text(*pressed);
}

// Where the figure that breaks its limit stands in the list that follows, the limit alone.
std::string reason_beside_figures(const LoadProbe& probe, const std::vector<Slo>& slos) {
  if (probe.reason.cause != ProbeCause::slo_figure || probe.state.grows())
    return reason_text(probe, slos);
  const Slo& slo = slos[static_cast<std::size_t>(probe.reason.figures[0])];
  const bool is_listed =
      slo.metric != &GroupSummary::itl && (slo.percentile == 95.0 || slo.percentile == 99.0);
  return is_listed ? "it misses " + title_of(slo) : reason_text(probe, slos);
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
  const bool is_cohort = row.trigger->metric == kCohortShare && !row.trigger->is_passed;
  if (is_cohort)
    return fmt::format("if more than {} of requests are of that kind", percent(row.trigger->value));
  if (row.trigger->is_floor && !row.trigger->is_passed)
    return fmt::format("if the {} falls below {}", row.trigger->title, percent(row.trigger->value));
  const std::string at = (row.trigger->is_floor ? "below " : "above ") + value_text(*row.trigger);
  if (row.trigger->only_in_scenario) return at + " while it lasts";
  return row.trigger->is_passed ? "not enough: the forecast without the scenario is already " + at
                                : at;
}

std::string rollback_sentence(const ScenarioRow& row) {
  const bool is_passed = row.trigger && row.trigger->is_passed && row.trigger->value > 0;
  if (!row.is_decided) return (is_passed ? "Acting is " : "Act ") + rollback_trigger(row);
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
  return text + fmt::format(". Handles {} of the forecast peak [{}, {}]", percent(peak.line.factor),
                            percent(peak.held().low), percent(peak.held().high));
}

std::string held_text(const std::optional<PeakCheck>& peak) {
  if (!peak) return "-";
  if (!peak->line.is_known) return "not known";
  if (peak->line.factor <= 0) return "none";
  const bool is_at_limit = peak->probe.answer == Answer::unclear && peak->line.factor == 1;
  return (is_at_limit ? "about " : "") + percent(peak->line.factor);
}

std::string added_cost_text(const std::optional<double>& usd) {
  if (!usd) return "-";
  if (std::abs(*usd) < 1) return "0";
  return (*usd < 0 ? "-" : "+") + amount_text(std::abs(*usd));
}

std::string gain_per_dollar_text(const LeverResult& lever) {
  if (lever.lever.kind == LeverKind::turns_away) return "-";
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
  const std::string low = points(within->low);
  const std::string high = points(within->high);
  if (low == high) return points(lever.more) + " points";
  return fmt::format("{} [{}, {}] points", points(lever.more), low, high);
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

std::string titles_of(const std::vector<Resource>& resources) {
  std::vector<std::string> titles;
  for (const Resource resource : resources) {
    if (titles.size() == kMostNamed) {
      titles.push_back(fmt::format("{} others", resources.size() - kMostNamed));
      break;
    }
    titles.emplace_back(facts_of(resource).title);
  }
  return titles.empty() ? "nothing" : join(titles, ", ");
}

std::string worse_text(const ScenarioRow& row) {
  if (row.is_outage) return "nothing is served";
  if (!row.problem.empty()) return "not simulated";
  return row.is_as_forecast ? "as the forecast" : titles_of(row.worse);
}

}  // namespace plimsoll
