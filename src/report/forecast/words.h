// A forecast in words: amounts and names, sentences, and the sections of its report, which the
// terminal and the page have in common. Each section is a file of its own beside this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "forecast/headroom/levers.h"
#include "forecast/runway/actuals.h"
#include "forecast/runway/sheet.h"
#include "planner/slo.h"
#include "report/forecast/forecast.h"
#include "report/form/text_report.h"

namespace plimsoll {

// ---- amounts and names (words.cc)

/// "720k", "19.5k", "310": three digits are enough for a sheet.
std::string amount_text(double value);
/// "36.0k requests/s", "$36.0k a month".
std::string amount_text(Resource resource, double value);
/// A cell of a table; "-" if not known. GPUs are whole.
std::string cell_text(const std::optional<double>& value);
std::string cell_text(Resource resource, const std::optional<double>& value);
/// "36.0k [30.0k, 40.0k]", where the band is known.
std::string cell_text(Resource resource, const std::optional<double>& value,
                      const std::optional<Interval>& band);
/// The columns without those that say nothing.
std::vector<Column> telling(std::vector<Column> columns);
Mood mood_of(Risk risk);

/// "requests/s run out", "the budget is exceeded".
std::string run_out_text(Resource resource);
/// "+12 %" above what there is, "80 %" of it.
std::string share_text(double share);
/// "requests/s, GPUs"; "nothing" for none.
std::string titles_of(const std::vector<Resource>& resources);

double preemptions_per_1k(const LoadProbe& probe);
/// The whole of a demand, simulated: what held or broke, and how much of it is held.
std::string peak_sentence(const PeakCheck& peak, const std::vector<Slo>& slos);
/// "107 %" of the demand; "none"; "-" where nothing was simulated.
std::string held_text(const std::optional<PeakCheck>& peak);

// ---- scenarios (scenarios.cc)

/// The first sign of trouble: an SLO that breaks, or the one nearest to its limit.
std::string first_signal(const ScenarioRow& row, const std::vector<Slo>& slos);
/// The limit that has to be kept while the scenario lasts.
std::string guardrail(const ScenarioRow& row, const std::vector<Slo>& slos);
/// "above 240k active KV tokens", "below 47.5 % cached share of prompts".
std::string threshold_text(const Trigger& trigger);
/// When to roll back: "above 240k active KV tokens"; where the forecast without the scenario is
/// there already, that it does not help.
std::string rollback_trigger(const ScenarioRow& row);
/// What an alert on that trigger says; where rolling back is not enough, what to do instead.
std::string alert_sentence(const ScenarioRow& row);
void add_scenarios(const ForecastReport& report, TextReport* out);

// ---- levers (levers.cc)

/// "+22 points", with the interval where it rests on another GPU's steps.
std::string more_text(const LeverResult& lever);
/// "+3.29 points" of the forecast for each $1,000 a month, "free", "saves", "no gain"; "-" without
/// a price.
std::string gain_per_dollar_text(const LeverResult& lever);
void add_levers(const ForecastReport& report, TextReport* out);

// ---- routes and providers (routes.cc)

/// "chat", "chat v3" with its version.
std::string title_of(const Route& route);
/// Requests of a route under way at once; none where it is not known.
std::optional<double> at_once(const HeadroomSheet& headroom, const Route& route);
/// The routes of the history, now and ahead; no columns where it does not tell.
std::vector<Column> routes_ahead_columns(const ForecastReport& report);
void add_routes(const ForecastReport& report, TextReport* out);
void add_providers(const ForecastReport& report, TextReport* out);

// ---- the runway (runway.cc)

/// A moment of a history: a date, or the seconds from where it counts.
std::string moment_text(const RunwaySheet& sheet, double time_s);
/// The resource, and of several providers the one.
std::string title_of(const RunwayRow& row);
/// "now", "by 2026-12-02"; empty without a date.
std::string order_moment_text(const ForecastReport& report, const Order& order);
/// "order 2 GPUs now (90 % confidence, $4,670 a month)"; "add" where no date is known.
std::string order_text(const ForecastReport& report, const std::string& what, const Order& order,
                       const std::optional<double>& usd_per_month, const std::string& confidence);
/// The date by which to order what keeps a resource below its line.
std::string order_text(const RunwaySheet& sheet, const RunwayRow& row);
void add_runway(const ForecastReport& report, TextReport* out);

// ---- losses and migrations (losses.cc)

/// "one of 3 zones", "1 instance".
std::string name_of(const Loss& loss);
/// "the p90 of demand (36.3 requests/s)".
std::string peak_text(const ForecastReport& report, const LossPlan& plan);
/// One for each loss, and for each migration that was simulated; without their full stops.
std::vector<std::string> loss_sentences(const ForecastReport& report);
std::vector<std::string> migration_sentences(const ForecastReport& report);

// ---- what costs nothing (levers.cc)

/// "try routing by session first, which is free and handles 429 % of the forecast as simulated":
/// the free lever that handles the most, whether or not that is enough; empty: there is none.
std::string best_free_lever_text(const ForecastReport& report);
/// "try chunks of 512 tokens, which is free and enough": of several, what holds the most; empty:
/// nothing is enough. `covers_error`: at the slow end of the model's error, too.
std::string free_lever_text(const ForecastReport& report, bool covers_error);

// ---- what to do (actions.cc)

/// "Order 1 GPU by 2026-12-02 (90 % confidence, $2,340 a month)": the most urgent first, with how
/// much too late an order of now may be; empty: nothing.
std::string action_of(const ForecastReport& report);
/// The order of GPUs alone, in lower case; empty: none is missing.
std::string gpu_order_text(const ForecastReport& report);
/// "90 % confidence": what every order allows for.
std::string confidence_text();
inline constexpr std::string_view kNeverSure =
    "if real steps are as slow as the model's error allows, no number of GPUs is enough";
/// The remedy for a resource that runs out and that more GPUs are no help for, in lower case.
std::string remedy_text(const ForecastReport& report, Resource resource);

// ---- the questions of a capacity review (review.cc)

/// The limit that breaks beyond: "TPOT p99 66.4 ms", "GPUs run out"; empty where nothing was seen
/// to.
std::string limit_text(const Spare& spare, const std::vector<Slo>& slos);
/// A cold cache, retries, and routes that fail over, a sentence each, without their full stops. The
/// verdict says what runs out first; p95 tokens stand with the routes.
std::vector<std::string> review_sentences(const ForecastReport& report);
// ---- what came (actuals.cc)

std::string_view unit_of(const ActualRow& row);
/// One sentence without a period: what was most wrong.
std::string actuals_verdict(const Actuals& actuals);
void add_actuals(const ForecastReport& report, TextReport* out);

// ---- parts of the JSON report (json_runway.cc)

/// A moment of a history; null where there is none.
Json moment_json(const RunwaySheet& sheet, const std::optional<double>& time);
/// Adds what time brings: runway, GPUs ahead, losses, the history, and what came.
void add_runway_json(const ForecastReport& report, Json* out);

// ---- what only the page has, as markup (page.cc, runway_chart.cc)

/// Figures in large type: what is used, what is handled, what is to be ordered.
std::string forecast_tiles(const ForecastReport& report);
/// The limits and the latencies of the simulated peak.
std::string peak_tables(const ForecastReport& report, const PeakCheck& peak);
/// The assumptions of the forecast.
std::string forecast_foundations(const ForecastReport& report);
/// One gauge for each resource with a capacity: baseline and forecast up to the load line.
std::string headroom_gauges(const ForecastReport& report);
/// Demand ahead of its line, for the resource that runs out first; GPUs needed over time.
std::string runway_figures(const ForecastReport& report);

}  // namespace plimsoll
