// What a scenario means in words: what degrades first, what to watch, and when to go back. Made of
// its figures alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forecast/headroom/headroom.h"
#include "forecast/headroom/levers.h"
#include "forecast/runway/sheet.h"
#include "planner/slo.h"

namespace plimsoll {

/// "720k", "19.5k", "310": three digits are enough for a sheet.
std::string amount_text(double value);

/// "+12 %" above what there is, "80 %" of it.
std::string share_text(double share);

/// What shows trouble first: an SLO that breaks, or the one nearest to its limit.
std::string first_signal(const ScenarioRow& row, const std::vector<Slo>& slos);

/// What has to stay as it is while the scenario lasts.
std::string guardrail(const ScenarioRow& row, const std::vector<Slo>& slos);

/// The number at which to go back, with what it is of.
std::string rollback_trigger(const ScenarioRow& row);

/// Requests of a route under way at once; none where it is not known.
std::optional<double> at_once(const HeadroomSheet& headroom, const Route& route);

/// The whole of a demand, simulated: what held or broke, and how much of it is held.
std::string peak_sentence(const PeakCheck& peak, const std::vector<Slo>& slos);

/// "107 %" of the demand; "none"; "-" where nothing was simulated.
std::string held_text(const std::optional<PeakCheck>& peak);

/// A moment of a history: a date, or the seconds from where it counts.
std::string moment_text(const RunwaySheet& sheet, double time_s);

/// "+12.5k" dollars a month; "-" if not known.
std::string added_cost_text(const std::optional<double>& usd);

/// "+3.29 %" of the forecast for each $1,000 a month, "free"; "-" where nothing is gained.
std::string gain_per_dollar_text(const LeverResult& lever);

/// "TPOT p99 ms 40.1 -> 52.0": the worst of what a lever makes worse.
std::string pressures_text(const std::vector<Pressure>& worse);

/// What the rows of the runway rest on: the method, or requests/s.
std::string method_text(const RunwayRow& row);
/// The GPUs that the highest load needs, and those to add; begins with ". ", empty if not known.
std::string gpu_plan_text(const RunwaySheet& sheet);
/// "; the history is too short for a forecast: ...".
std::string too_short_text(const RunwaySheet& sheet);
/// How much, how uneven, when: of the requests, or of the first column.
std::string history_text(const DemandHistory& history);
/// By when to order what keeps a resource below its line.
std::string order_text(const RunwaySheet& sheet, const RunwayRow& row);

/// What a reader has to know of the history and of each outlook, once each.
std::vector<std::string> runway_notes(const RunwaySheet& sheet);

/// "requests/s, GPUs"; "nothing" for none.
std::string titles_of(const std::vector<Resource>& resources);

}  // namespace plimsoll
