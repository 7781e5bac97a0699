// The scenarios of a forecast, in words and as a table: what degrades first, what to watch, and
// when to roll back. All of it is made of the figures of a scenario alone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "forecast/headroom/trigger.h"
#include "report/answer/reasons.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// Whether the deployment feels its shortage, so that limits on latency show that first.
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
  if (!pressed) return "no known degradation";
  return used_text(*pressed);
}

std::string value_text(const Trigger& trigger) {
  if (const auto resource = find_resource(trigger.metric))
    return amount_text(*resource, trigger.value);
  return (trigger.unit == "share" ? percent(trigger.value) : ms_or_s(trigger.value / 1e3)) + " " +
         trigger.title;
}

// Says that the forecast is beyond the value without the scenario, too; after a loss, beyond what
// the rest carries.
std::string passed_text(const ScenarioRow& row) {
  const Trigger& trigger = *row.trigger;
  if (row.instances > 0)
    return fmt::format("what remains carries {}, less than the forecast", value_text(trigger));
  if (trigger.is_floor)
    return fmt::format("even without this scenario the {} is below {}", trigger.title,
                       percent(trigger.value));
  return "even without this scenario the forecast is above " + value_text(trigger);
}

// " (90 % of the limit)": a trigger below its line leaves time to act.
std::string share_of_limit(const ScenarioRow& row) {
  const auto resource = find_resource(row.trigger->metric);
  const auto capacity = resource ? at(row.capacity, *resource) : std::nullopt;
  if (!capacity || row.trigger->value >= *capacity || row.instances > 0) return {};
  return fmt::format(" ({:.0f} % of the limit)", 100 * row.trigger->value / *capacity);
}

// The resources that a scenario makes worse.
std::string worse_text(const ScenarioRow& row) {
  if (row.is_outage) return "nothing is served";
  if (!row.problem.empty()) return "not simulated";
  return row.is_as_forecast ? "as the forecast" : titles_of(row.worse);
}

// The resources that have a capacity, in the order of the sheet.
std::vector<Resource> limited_resources(const ForecastReport& r) {
  std::vector<Resource> resources;
  for (const SheetRow& row : r.headroom.rows) {
    if (row.utilisation()) resources.push_back(row.resource);
  }
  return resources;
}

// The share of the resource that each scenario uses.
Column use_column(const ForecastReport& r, Resource resource) {
  Column column{std::string(facts_of(resource).title), {}};
  column.is_for_page = true;
  for (const ScenarioRow& row : r.headroom.scenarios) {
    const auto used = row.used(resource);
    const bool is_known = used && !std::isnan(*used);
    column.cells.push_back(is_known ? share_text(*used) : "");
    column.moods.push_back(is_known ? mood_of(risk_of(resource, *used)) : Mood::none);
  }
  return column;
}

std::vector<Column> scenario_columns(const ForecastReport& r) {
  std::vector<Column> columns{
      {"scenario", {}, false}, {"closest limit", {}, false}, {"used", {}},
      {"risk", {}, false},     {"held by GPUs", {}},         {"worse", {}, false}};
  for (const ScenarioRow& row : r.headroom.scenarios) {
    add_row(&columns, {row.name, row.binding ? std::string(facts_of(*row.binding).title) : "-",
                       row.binding ? share_text(*row.used(*row.binding)) : "-",
                       row.risk ? std::string(name_of(*row.risk)) : "", held_text(row.peak),
                       worse_text(row)});
    columns[3].moods.push_back(row.risk ? mood_of(*row.risk) : Mood::none);
  }
  for (const Resource resource : limited_resources(r)) columns.push_back(use_column(r, resource));
  return columns;
}

// "Roll back above 240k active KV tokens", without its full stop.
std::string rollback_sentence(const ScenarioRow& row) {
  const bool is_passed = row.trigger && row.trigger->is_passed && row.trigger->value > 0;
  if (!row.is_decided) return (is_passed ? "Acting is " : "Act ") + rollback_trigger(row);
  return (is_passed ? "Rolling back is " : "Roll back ") + rollback_trigger(row);
}

std::string scenario_note(const ForecastReport& r, const ScenarioRow& row) {
  std::string note = row.about.empty() ? std::string() : capitalised(row.about) + ". ";
  if (!row.problem.empty()) return note + capitalised(row.problem) + ".";
  if (row.is_busy_hour)
    return note +
           (row.peak ? capitalised(reason_text(row.peak->probe, r.request.slos))
                     : "Simulated with a deployment only") +
           ".";
  const std::string roll_back = rollback_sentence(row) + ".";
  if (row.attempts > 1.005)
    note += fmt::format("Each request is sent {:.2f} times. ", row.attempts);
  if (!row.better.empty() && row.instances <= 0)
    note += "Lower use: " + titles_of(row.better) + ". ";
  const bool is_calm = row.risk == Risk::ok;
  if (row.is_as_forecast) return note + "Same as the forecast.";
  note +=
      fmt::format("{}: {}. Guardrail: {}. {}", is_calm ? "Nearest to its limit" : "First signal",
                  first_signal(row, r.request.slos), guardrail(row, r.request.slos), roll_back);
  if (!row.owner.empty()) note += " Owner: " + row.owner + ".";
  return note;
}

}  // namespace

std::string threshold_text(const Trigger& trigger) {
  return (trigger.is_floor ? "below " : "above ") + value_text(trigger);
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
  if (row.is_busy_hour) return "none: it comes with the forecast";
  if (!row.trigger) return "never: nothing has a capacity";
  if (row.trigger->metric == kCohortShare && row.trigger->value <= 0)
    return "at the first " + row.trigger->title + ", which are too long to be served";
  const bool is_cohort = row.trigger->metric == kCohortShare && !row.trigger->is_passed;
  if (is_cohort)
    return fmt::format("if more than {} of requests are of that kind", percent(row.trigger->value));
  if (row.trigger->is_floor && !row.trigger->is_passed)
    return fmt::format("if the {} falls below {}", row.trigger->title, percent(row.trigger->value));
  const std::string at = threshold_text(*row.trigger);
  if (row.trigger->only_in_scenario) return at + " while the scenario lasts";
  return row.trigger->is_passed ? "not enough: " + passed_text(row) : at + share_of_limit(row);
}

std::string alert_sentence(const ScenarioRow& row) {
  if (!row.trigger->is_passed) return rollback_sentence(row);
  return "Act before the forecast comes true: " + passed_text(row);
}

void add_scenarios(const ForecastReport& r, TextReport* out) {
  if (r.headroom.scenarios.empty()) return;
  out->begin_section("What might happen");
  out->table(telling(scenario_columns(r)));
  for (const ScenarioRow& row : r.headroom.scenarios) {
    out->heading(row.name);
    out->note(scenario_note(r, row));
  }
}

}  // namespace plimsoll
