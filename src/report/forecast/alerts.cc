#include "report/forecast/alerts.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/json.h"
#include "base/lists.h"
#include "base/text.h"
#include "forecast/headroom/provider_limits.h"
#include "forecast/headroom/trigger.h"
#include "report/forecast/words.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

constexpr const char* kHolds = "5m";  // for so long before it is an alert
constexpr double kWatchFrom = 0.8;    // of a line, as the risk of a sheet becomes tight
constexpr std::string_view kAlertDocs = "https://docs.vllm.ai/en/v0.12.0/design/metrics/";

std::optional<Query> query_of(const ScenarioRow& row, const ForecastReport& r) {
  const std::vector<Slo>& slos = r.request.slos;
  const std::string& metric = row.trigger->metric;
  if (const auto resource = find_resource(metric))
    return query_of(*resource, at(row.capacity, *resource), r);
  if (metric == "cached_share") {
    return Query{rate_of("prefix_cache_hits_total") + " / " + rate_of("prefix_cache_queries_total"),
                 1, "percentunit"};
  }
  const Slo* slo = find_where(slos, [&](const Slo& s) { return key_of(s) == metric; });
  return slo == nullptr ? std::nullopt : std::optional(query_of(*slo));
}

// In the unit of the metric, no more exact than it is known.
double rounded_line(double line, const Query& query) {
  double rounded = 0;
  parse_double(fmt::format("{:.4g}", line * query.scale), &rounded);
  return rounded;
}

// A cache is never more than full: beyond that, requests are preempted.
std::string condition(const Query& query, double value, bool is_floor) {
  if (query.unit == "percentunit" && !is_floor && rounded_line(value, query) >= 1)
    return rate_of("num_preemptions_total") + " > 0";
  return fmt::format("{} {} {}", query.expression, is_floor ? "<" : ">",
                     shortest(rounded_line(value, query)));
}

// What a deployment carries after a loss is no threshold while all of its instances answer.
std::string roll_back_condition(const ScenarioRow& row, const Query& query) {
  const std::string crossed = condition(query, row.trigger->value, row.trigger->is_floor);
  if (row.instances <= 0) return crossed;
  return fmt::format(
      "(({}) and count(count by (instance) (vllm:num_requests_running)) <= {}) or "
      "absent(vllm:num_requests_running)",
      crossed, row.instances);
}

// Limits that were lowered are seen by nobody before they refuse; and of a line that only the mix
// of the scenario has, no metric tells whether that mix has come.
std::optional<Query> roll_back_query(const ScenarioRow& row, const ForecastReport& r) {
  if (!row.trigger || row.lowers_limits) return std::nullopt;
  if (row.trigger->only_in_scenario && row.instances <= 0) return std::nullopt;
  // Another price is in no metric before it is paid.
  const bool is_bill = row.trigger->metric == facts_of(Resource::budget).name;
  if (is_bill && !row.is_decided) return std::nullopt;
  return query_of(row, r);
}

struct Rule {
  std::string alert;
  std::string expression;
  std::string severity;
  std::string about;  ///< the metric, or the scenario
  std::string summary;
};

// The load of today is beyond the trigger, so that an alert on it would never end. Of a loss none
// fires while nothing is lost.
bool is_crossed_today(const ScenarioRow& row, const ForecastReport& r) {
  const Trigger& trigger = *row.trigger;
  if (row.instances > 0) return false;
  if (trigger.is_floor)
    return cached_share(flows_of(as_seen(r.headroom, r.request.baseline))) < trigger.value;
  if (const auto resource = find_resource(trigger.metric)) {
    const SheetRow* today = r.headroom.row_of(*resource);
    return today != nullptr && today->baseline_p95.value_or(0) > trigger.value;
  }
  const auto& peak = r.headroom.baseline;
  for (std::size_t i = 0; peak && i < peak->probe.slos.size(); ++i) {
    if (key_of(r.request.slos[i]) == trigger.metric)
      return peak->probe.slos[i].value_ms > trigger.value;
  }
  return false;
}

Rule roll_back_rule(const ScenarioRow& row, const Query& query) {
  const bool is_enough = row.is_decided && !row.trigger->is_passed;
  return {is_enough ? "PlimsollRollBack" : "PlimsollAct", roll_back_condition(row, query),
          "critical", row.name, fmt::format("{}: {}", row.name, alert_sentence(row))};
}

/// A figure that is watched, and the line that it must not cross.
struct Watch {
  std::string metric;
  std::string title;
  Query query;
  double line = 0;  ///< in the unit of the sheet
  std::string text;
  std::string crossed;  ///< what an alert says
};

// A cache that is full is seen by its preemptions (condition()).
std::string crossed_text(Resource resource, double capacity) {
  const ResourceFacts& facts = facts_of(resource);
  if (resource == Resource::active_kv_tokens)
    return fmt::format("KV cache full at {} {}: requests are preempted", amount_text(capacity),
                       facts.title);
  if (resource == Resource::queue_delay) return "queue delay p95 above " + ms_or_s(capacity / 1e3);
  return fmt::format("{} above {}", facts.title, amount_text(capacity));
}

std::string watched_title(Resource resource) {
  return resource == Resource::queue_delay ? "queue delay p95"
                                           : std::string(facts_of(resource).title);
}

std::string watched_text(Resource resource, double capacity) {
  if (resource == Resource::active_kv_tokens)
    return fmt::format("KV cache in use (100 % = {} tokens)", amount_text(capacity));
  const std::string most =
      resource == Resource::queue_delay ? ms_or_s(capacity / 1e3) : amount_text(capacity);
  return fmt::format("{} below {}", watched_title(resource), most);
}

// Of each provider that has a limit of its own on it; none where all share one.
std::vector<Watch> watches_of_providers(Resource resource, const ForecastReport& r) {
  std::vector<Watch> all;
  if (!tightest_limit(r.request, flows_of(r.request.forecast), resource)) return all;
  const ResourceFacts& facts = facts_of(resource);
  for (const Provider& provider : r.request.providers) {
    const auto most = limit_of(provider, resource);
    if (!most) continue;
    const std::string title = fmt::format("{} of {}", facts.title, provider.name);
    all.push_back({fmt::format("{}_{}", facts.name, provider.name), title,
                   provider_query(resource, provider.name), *most,
                   fmt::format("{} below {}", title, amount_text(*most)),
                   fmt::format("{} above {}", title, amount_text(*most))});
  }
  return all;
}

std::vector<Watch> watches(const ForecastReport& r, std::vector<std::string>* unseen) {
  std::vector<Watch> all;
  for (const Slo& slo : r.request.slos) {
    if (r.deployment.empty()) break;  // latencies of providers are not theirs
    const Query query = query_of(slo);
    all.push_back({key_of(slo), name_of(slo), query, to_ms(slo.limit), title_of(slo),
                   name_of(slo) + " above " + ms_or_s(to_ms(slo.limit) / 1e3)});
  }
  for (const SheetRow& row : r.headroom.rows) {
    if (!row.capacity) continue;
    std::vector<Watch> own = watches_of_providers(row.resource, r);
    std::ranges::move(own, std::back_inserter(all));
    if (!own.empty()) continue;
    const ResourceFacts& facts = facts_of(row.resource);
    const auto query = query_of(row.resource, row.capacity, r);
    if (!query) {
      unseen->emplace_back(facts.title);
      continue;
    }
    all.push_back({std::string(facts.name), watched_title(row.resource), *query, *row.capacity,
                   watched_text(row.resource, *row.capacity),
                   crossed_text(row.resource, *row.capacity)});
  }
  return all;
}

bool watches_provider(const ForecastReport& r) {
  const bool is_paid = std::ranges::any_of(r.request.baseline, &Route::from_provider);
  return std::ranges::any_of(r.headroom.rows, [&](const SheetRow& row) {
    const bool is_asked = row.resource == Resource::provider_requests ||
                          row.resource == Resource::provider_tokens ||
                          (row.resource == Resource::budget && is_paid);
    return is_asked && row.capacity;
  });
}

// Labels and annotations are templates, in which two braces begin an action.
std::string untemplated(std::string text) {
  for (auto at = text.find("{{"); at != std::string::npos; at = text.find("{{", at))
    text.insert(at + 1, " ");
  return text;
}

Json group(const char* name, const std::vector<Rule>& rules, std::string_view about) {
  const auto rule_json = [&](const Rule& rule) {
    return Json{
        {"alert", rule.alert},
        {"expr", rule.expression},
        {"for", kHolds},
        {"labels", {{"severity", rule.severity}, {about, untemplated(rule.about)}}},
        {"annotations",
         {{"summary", untemplated(rule.summary)}, {"description", "now {{ $value | humanize }}"}}}};
  };
  return {{"name", name}, {"rules", Json::array_of(rules, rule_json)}};
}

std::string unseen_text(const std::vector<std::string>& unseen) {
  return "Not watched, as no metric shows it: " + join(unseen, ", ") + ".";
}

std::string prometheus_rules(const ForecastReport& r) {
  std::vector<std::string> unseen;
  std::vector<Rule> watch = mapped(watches(r, &unseen), [](const Watch& w) {
    return Rule{"PlimsollWatch", condition(w.query, w.line, false), "warning", w.metric,
                capitalised(w.crossed)};
  });
  std::vector<Rule> roll_back;
  std::vector<std::string> crossed;
  for (const ScenarioRow& row : r.headroom.scenarios) {
    if (row.is_busy_hour) continue;
    const auto query = roll_back_query(row, r);
    if (!query) {
      unseen.push_back("roll back of " + row.name);
      continue;
    }
    if (is_crossed_today(row, r)) {
      crossed.push_back(fmt::format("{} ({})", row.name, threshold_text(*row.trigger)));
      continue;
    }
    roll_back.push_back(roll_back_rule(row, *query));
  }
  std::string text =
      comment_lines(forecast_verdict(r)) +
      comment_lines(
          "For rule_files of prometheus.yml; promtool check rules FILE checks it. For the "
          "Prometheus Operator, put \"groups\" below the spec of a PrometheusRule.") +
      comment_lines(fmt::format("Metrics as vLLM 0.12 names them: {}", kAlertDocs)) +
      (watches_provider(r) ? comment_lines("Metrics of clients as OpenTelemetry names them: "
                                           "https://opentelemetry.io/docs/specs/semconv/gen-ai/")
                           : std::string()) +
      comment_lines(
          "Where several deployments report to one Prometheus, add a selector, "
          "such as {job=\"NAME\"}.") +
      (r.splits
           ? comment_lines("Prefill and decode instances each count a request: rates of requests "
                           "and prompt tokens are halved. Latencies of both are in one histogram: "
                           "for TPOT and ITL, add a selector of decode instances; TTFT and E2E of "
                           "a whole request are known to the router.")
           : std::string());
  if (!unseen.empty()) text += comment_lines(unseen_text(unseen));
  if (!crossed.empty()) {
    text += comment_lines("Without a rule, as it would already fire today: " + join(crossed, ", ") +
                          ".");
  }
  Json groups = Json::array();
  if (!watch.empty()) groups.push_back(group("plimsoll-watch", watch, "metric"));
  if (!roll_back.empty()) groups.push_back(group("plimsoll-roll-back", roll_back, "scenario"));
  return text + yaml_of({{"groups", groups}});
}

// ---- Grafana

constexpr std::size_t kLongestUid = 40;  // that Grafana takes

Json lines_json(double line) {
  return {{"mode", "absolute"},
          {"steps", Json::array({{{"color", "green"}, {"value", nullptr}},
                                 {{"color", "orange"}, {"value", kWatchFrom * line}},
                                 {{"color", "red"}, {"value", line}}})}};
}

Json panel(std::size_t number, const char* type, const std::string& title, const std::string& unit,
           double line, Json targets) {
  constexpr std::size_t kWidth = 12;
  constexpr std::size_t kHeight = 8;
  const std::size_t place = number - 1;
  return {
      {"id", number},
      {"type", type},
      {"title", title},
      {"datasource", {{"type", "prometheus"}, {"uid", "${datasource}"}}},
      {"gridPos",
       {{"h", kHeight}, {"w", kWidth}, {"x", kWidth * (place % 2)}, {"y", kHeight * (place / 2)}}},
      {"fieldConfig",
       {{"defaults",
         {{"unit", unit},
          {"min", 0},
          {"thresholds", lines_json(line)},
          {"custom", {{"thresholdsStyle", {{"mode", "line"}}}}}}},
        {"overrides", Json::array()}}},
      {"targets", std::move(targets)}};
}

Json target(const std::string& id, const std::string& expression, const std::string& legend) {
  return {{"refId", id}, {"expr", expression}, {"legendFormat", legend}};
}

std::string grafana_dashboard(const ForecastReport& r) {
  std::vector<std::string> unseen;
  Json used = Json::array();
  Json panels = Json::array();
  panels.push_back(nullptr);  // what is used of each, below
  for (const Watch& w : watches(r, &unseen)) {
    const auto id = "q" + std::to_string(used.size());
    used.push_back(target(
        id, fmt::format("({}) / {}", w.query.expression, shortest(rounded_line(w.line, w.query))),
        w.title));
    panels.push_back(panel(panels.size() + 1, "timeseries", w.text, w.query.unit,
                           w.line * w.query.scale,
                           Json::array({target("now", w.query.expression, w.title)})));
  }
  *panels.begin() = panel(1, "bargauge", "Share of each limit and capacity in use", "percentunit",
                          1, std::move(used));
  std::string description = forecast_verdict(r);
  if (!unseen.empty()) description += " " + unseen_text(unseen);
  const Json dashboard = {
      {"uid", resource_name("plimsoll-" + r.name()).substr(0, kLongestUid)},
      {"title", "Headroom: " + r.name()},
      {"description", description},
      {"tags", Json::array({"plimsoll"})},
      {"schemaVersion", 39},
      {"time", {{"from", "now-6h"}, {"to", "now"}}},
      {"refresh", "1m"},
      {"templating",
       {{"list",
         Json::array(
             {{{"name", "datasource"}, {"type", "datasource"}, {"query", "prometheus"}}})}}},
      {"panels", std::move(panels)}};
  return dashboard.dump(2) + "\n";
}

}  // namespace

const std::vector<std::string>& alert_forms() {
  static const std::vector<std::string> forms{"prometheus", "grafana"};
  return forms;
}

std::vector<DeploymentFile> alert_files(const std::string& form, const ForecastReport& r) {
  if (form == "grafana") return {{"headroom_dashboard.json", grafana_dashboard(r)}};
  return {{"plimsoll_rules.yaml", prometheus_rules(r)}};
}

}  // namespace plimsoll
