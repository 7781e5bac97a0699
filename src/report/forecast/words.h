// The meaning of a scenario in words: what degrades first, what to watch, and when to roll back.
// Made of its figures alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forecast/headroom/headroom.h"
#include "forecast/headroom/levers.h"
#include "forecast/runway/actuals.h"
#include "forecast/runway/sheet.h"
#include "planner/slo.h"
#include "report/forecast/forecast.h"
#include "report/run/terminal.h"

namespace plimsoll {

/// "720k", "19.5k", "310": three digits are enough for a sheet.
std::string amount_text(double value);

/// "requests/s run out", "the budget is exceeded".
std::string run_out_text(Resource resource);
/// "36.0k requests/s", "$36.0k a month".
std::string amount_text(Resource resource, double value);

/// "+12 %" above what there is, "80 %" of it.
std::string share_text(double share);

/// The first sign of trouble: an SLO that breaks, or the one nearest to its limit.
std::string first_signal(const ScenarioRow& row, const std::vector<Slo>& slos);

/// The limit that has to be kept while the scenario lasts.
std::string guardrail(const ScenarioRow& row, const std::vector<Slo>& slos);

/// When to roll back: "above 240k active KV tokens"; where the forecast without the scenario is
/// there already, that it does not help.
std::string rollback_trigger(const ScenarioRow& row);
/// "Roll back above 240k active KV tokens", without its full stop.
std::string rollback_sentence(const ScenarioRow& row);

/// "chat", "chat v3" with its version.
std::string title_of(const Route& route);

/// Requests of a route under way at once; none where it is not known.
std::optional<double> at_once(const HeadroomSheet& headroom, const Route& route);
/// The share of the requests of a route that get an answer that somebody can use.
double useful_share(const HeadroomSheet& headroom, const Route& route);

/// The whole of a demand, simulated: what held or broke, and how much of it is held.
std::string peak_sentence(const PeakCheck& peak, const std::vector<Slo>& slos);

/// "107 %" of the demand; "none"; "-" where nothing was simulated.
std::string held_text(const std::optional<PeakCheck>& peak);

/// A moment of a history: a date, or the seconds from where it counts.
std::string moment_text(const RunwaySheet& sheet, double time_s);

/// "+12.5k" dollars a month; "-" if not known.
std::string added_cost_text(const std::optional<double>& usd);

/// "+3.29 %" of the forecast for each $1,000 a month, "free", "saves", "no gain"; "-"
/// without a price.
std::string gain_per_dollar_text(const LeverResult& lever);

/// "TPOT p99 ms 40.1 -> 52.0": the worst of what a lever makes worse, and whether answers change.
std::string pressures_text(const LeverResult& lever);
/// "+22 %", with the interval where it rests on another GPU's steps.
std::string more_text(const LeverResult& lever);

/// The resource, and of several providers the one.
std::string title_of(const RunwayRow& row);
/// The grounds of a row of the runway: the method, or requests/s.
std::string method_text(const RunwayRow& row);
/// The GPUs that the highest load needs, and those to add; begins with ". ", empty if not known.
std::string gpu_plan_text(const RunwaySheet& sheet);
/// "one of 3 zones", "1 instance".
std::string name_of(const Loss& loss);
/// "Order 1 GPU by 2026-12-02 (90 % confidence, $2,340 a month)": what to do, the most urgent
/// first; empty: nothing.
std::string action_of(const ForecastReport& report);
/// The order of GPUs alone, in lower case; empty: none is missing.
std::string gpu_order_text(const ForecastReport& report);
/// "90 % confidence": what every order allows for.
std::string confidence_text();
/// The remedy for a resource that runs out and that more GPUs are no help for, in lower case.
std::string remedy_text(const ForecastReport& report, Resource resource);
/// The loss that takes the most GPUs to survive; null where what is deployed is enough.
const LossPlan* dearest_loss(const ForecastReport& report);
/// That one, or one that no number of GPUs is known to survive; null: all are survived.
const LossPlan* unsurvived_loss(const ForecastReport& report);
/// "the p90 of demand (36.3 requests/s)".
std::string peak_text(const ForecastReport& report, const LossPlan& plan);
/// How many GPUs can be had, where more are wanted.
std::optional<std::int64_t> quota_of_gpus(const ForecastReport& r, std::int64_t gpus);
/// "now", "by 2026-12-02"; empty without a date.
std::string order_moment_text(const ForecastReport& report, const Order& order);
/// "order 2 GPUs now (90 % confidence, $4,670 a month)"; "add" where no date is known.
std::string order_text(const ForecastReport& report, const std::string& what, const Order& order,
                       const std::optional<double>& usd_per_month, const std::string& confidence);
/// One for each migration that was simulated, without its full stop.
std::vector<std::string> migration_sentences(const ForecastReport& report);
/// The order of GPUs for all that more instances carry more of: for the demand ahead, or for a loss
/// that has to be survived where that takes more.
struct GpuOrder {
  std::int64_t gpus = 0;
  Order when;
  std::optional<double> usd_per_month;
  bool is_with_confidence = false;  ///< enough for kAcceptedRisk
  std::string survives;             ///< "one of 2 regions"; empty: it is for the demand
};
/// None where nothing is missing that GPUs help with.
std::optional<GpuOrder> gpus_to_order(const ForecastReport& report);

/// What to reserve, and what it saves; without its full stop.
std::string reserve_sentence(const ForecastReport& r, const ReservePlan& plan);
/// One for each loss, without its full stop.
std::vector<std::string> loss_sentences(const ForecastReport& report);
/// How much, how uneven, when: of the requests, or of the first column.
std::string history_text(const DemandHistory& history);
/// The date by which to order what keeps a resource below its line.
std::string order_text(const RunwaySheet& sheet, const RunwayRow& row);

/// The notes on the history and on each outlook, once each.
std::vector<std::string> runway_notes(const RunwaySheet& sheet);

/// "requests/s, GPUs"; "nothing" for none.
std::string titles_of(const std::vector<Resource>& resources);
/// What a scenario makes worse.
std::string worse_text(const ScenarioRow& row);

// The answers to the questions of a capacity review, a sentence each: a cold cache, retries, and
// routes that fail over. What runs out first, the verdict says; p95 tokens stand with the routes.

/// The limit that breaks beyond: "TPOT p99 66.4 ms", "GPUs run out"; empty where nothing was seen
/// to.
std::string limit_text(const Spare& spare, const std::vector<Slo>& slos);

/// Without their full stops.
std::vector<std::string> review_sentences(const ForecastReport& report);

/// The scenario in which the forecast's caches find nothing, and nothing else happens; null if the
/// file chose to have none.
const ScenarioRow* cold_scenario(const ForecastReport& report);

// The actual values against the forecast, in words: for the sheet, the JSON report and the page.

std::string title_of(const ActualRow& row);  ///< "prompt tokens/s", "requests to chat"
std::string_view unit_of(const ActualRow& row);
/// In the unit of the row, three digits.
std::string amount_of(const ActualRow& row, double value);
std::string forecast_of(const ActualRow& row);  ///< with its band
std::string error_of(const ActualRow& row);     ///< "+25.7 %"
std::string inside_of(const ActualRow& row);    ///< "yes", "no", or "-" without a band

/// One sentence without a period: what was most wrong.
std::string actuals_verdict(const Actuals& actuals);
/// "came.csv, 2026-11-15T00:00Z to 2026-11-22T00:00Z".
std::string actuals_source(const Actuals& actuals);
void add_actuals(const Actuals& actuals, TextReport* out);

// The routes of a history, one row for each: what they were in the busy hours of the last season,
// and what they become.

/// Empty where the history does not tell.
std::vector<Column> routes_ahead_columns(const ForecastReport& report);
std::string routes_ahead_html(const ForecastReport& report);

// The providers that routes name, one row for each, and the one that runs out first.

std::vector<Column> provider_columns(const ForecastReport& report);
std::string provider_sentence(const ForecastReport& report);  ///< without its full stop
std::string providers_html(const ForecastReport& report);     ///< empty without providers

// The figures and tables that carry a forecast, for its page.

/// One gauge for each resource with a capacity: baseline and forecast up to the load line.
std::string headroom_gauges(const ForecastReport& report);

/// Scenario by resource, how much of each is used; how much of the demand is held, and what shows
/// it first. The forecast itself is the first row.
std::string scenario_matrix(const ForecastReport& report);

/// The table of what each lever gains, costs and makes worse; the best first. Empty without levers.
std::string levers_table(const ForecastReport& report);

/// Demand ahead of its line, for the resource that runs out first; GPUs needed over time. Empty
/// without a history.
std::string runway_figures(const ForecastReport& report);

/// "tight" or "short", as cells of report/form/page.h are marked; empty where all is well.
std::string_view mood_of(Risk risk);

}  // namespace plimsoll
