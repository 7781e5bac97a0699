// The page of a forecast, top to bottom like a memo: verdict, headroom, the peak, the runway, what
// might happen, routes, what it rests on, how to repeat it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/words.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

using Cell = PageTable::Cell;

std::string key_of(const SheetRow& row, std::string_view figure) {
  return fmt::format("{}.{}", facts_of(row.resource).name, figure);
}

Cell amount_cell(const std::optional<double>& value, const std::string& key) {
  return value ? Cell{amount_text(*value), *value, key} : Cell{"-"};
}

// With what is known of it.
Cell capacity_cell(const SheetRow& row) {
  Cell cell = amount_cell(row.capacity, key_of(row, "capacity"));
  if (const auto& within = row.capacity_interval)
    cell.text += fmt::format(" [{}, {}]", amount_text(within->low), amount_text(within->high));
  return cell;
}

std::string range_text(const std::optional<Interval>& band) {
  return band ? amount_text(band->low) + "\u00a0to\u00a0" + amount_text(band->high) : "-";
}

// ---- verdict

// What is ordered; where that is for a loss, what of it the demand alone takes.
std::string order_tiles(const ForecastReport& r, const GpuPlan& plan) {
  std::string text;
  const auto add = [&](const std::string& prefix, std::int64_t gpus,
                       const std::optional<double>& usd, const std::string& what) {
    text += tile(prefix + "add_gpus", static_cast<double>(gpus), counted(gpus, "GPU"), what);
    if (usd)
      text += tile(prefix + "add_usd_per_month", *usd, "$" + amount_text(*usd),
                   fmt::format("per month for {}", counted(gpus, "GPU")));
  };
  const std::optional<GpuOrder> order = gpus_to_order(r);
  const bool is_for_loss = order && !order->survives.empty();
  if (is_for_loss)
    add("order.", order->gpus, order->usd_per_month,
        "to order, to survive the loss of " + order->survives);
  add("", plan.add_gpus, plan.add_usd_per_month,
      fmt::format("{} ({})", is_for_loss ? "of them for the demand alone" : "to add",
                  confidence_text()));
  return text;
}

std::string forecast_tiles(const ForecastReport& r) {
  std::string text;
  for (const SheetRow& row : r.headroom.rows) {
    if (row.resource != r.headroom.binding) continue;
    text += tile("utilisation", *row.utilisation(), share_text(*row.utilisation()),
                 fmt::format("of {} used", facts_of(row.resource).title));
  }
  if (const auto& peak = r.headroom.forecast) {
    const double held = peak->line.is_known ? peak->line.factor : std::nan("");
    text += tile("held_factor", held, held_text(peak), "of the forecast peak is handled");
  }
  if (r.runway && !r.runway->gpu_plan.steps.empty()) {
    text += order_tiles(r, r.runway->gpu_plan);
  }
  return element("div", "class=\"tiles\"", text) + "\n";
}

std::string forecast_head(const ForecastReport& r) {
  const std::string name = r.request.name.empty() ? r.request.file : r.request.name;
  std::string text = element("p", "class=\"small\"", escaped("Forecast: " + name)) + "\n" +
                     decision_html(decision_of(r));
  if (!r.deployment.empty()) text += element("p", "", escaped(join(r.deployment, ", "))) + "\n";
  return text + forecast_tiles(r);
}

// ---- the sheet

std::string sheet_table(const ForecastReport& r) {
  PageTable table("", {"resource", "baseline p95", "forecast p95", "band", "capacity", "used",
                       "headroom", "risk", "from", "owner"});
  for (const SheetRow& row : r.headroom.rows) {
    if (!row.capacity) continue;
    const auto risk = row.risk();
    const auto used = row.utilisation();
    Cell share = used ? Cell{share_text(*used), *used, key_of(row, "utilisation")} : Cell{"-"};
    if (risk) share.mood = mood_of(*risk);
    table.add({{std::string(facts_of(row.resource).title)},
               amount_cell(row.baseline_p95, key_of(row, "baseline_p95")),
               amount_cell(row.forecast_p95, key_of(row, "forecast_p95")),
               {range_text(row.forecast_band)},
               capacity_cell(row),
               share,
               amount_cell(row.headroom(), key_of(row, "headroom")),
               {risk ? std::string(name_of(*risk)) : ""},
               {std::string(name_of(row.capacity_from))},
               {row.owner}},
              row.resource == r.headroom.binding);
  }
  return table.markup();
}

// ---- the peak

// While the queue grows they only say how long the test was.
std::string latency_table(const LoadProbe& probe) {
  const GroupSummary& c = probe.summary.cluster;
  PageTable table("Latencies of that run", {"latency", "mean", "p95", "p99"});
  const auto add = [&](const char* title, const char* key, const LatencySummary& l) {
    const auto cell = [&](double ms, const char* statistic) {
      return Cell{probe.state.grows() ? "grows" : ms_or_s(ms / 1e3), ms,
                  fmt::format("peak.{}.{}", key, statistic)};
    };
    table.add({{title}, cell(l.mean_ms, "mean"), cell(l.p95_ms, "p95"), cell(l.p99_ms, "p99")});
  };
  add("TTFT", "ttft_ms", c.ttft);
  add("TPOT", "tpot_ms", c.tpot);
  add("E2E", "e2e_ms", c.e2e);
  return table.markup();
}

std::string peak_section(const ForecastReport& r) {
  if (!r.headroom.forecast) return {};
  const PeakCheck& peak = *r.headroom.forecast;
  const std::string text = "The whole forecast: " + peak_sentence(peak, r.request.slos) + ".";
  return element("p", "", escaped(text)) + "\n" + limits_table(peak.probe, r.request.slos) +
         latency_table(peak.probe);
}

// ---- the runway

Cell line_cell(const RunwayRow& row) {
  const auto& within = row.line_interval;
  return {within ? fmt::format("{} [{}, {}]", amount_text(row.line), amount_text(within->low),
                               amount_text(within->high))
                 : amount_text(row.line),
          row.line};
}

std::string runway_section(const ForecastReport& r) {
  if (!r.runway) return {};
  const RunwaySheet& sheet = *r.runway;
  PageTable table("When each capacity is exceeded",
                  {"resource", "line", "peak ahead", "chance", "early (10 %)", "half",
                   "late (90 %)", "order by", "method", "MASE", "90 % band held"});
  for (const RunwayRow& row : sheet.rows) {
    const bool known = row.runway.known;
    const auto moment = [&](double p) {
      const auto time = row.runway.time_at(p);
      return Cell{time ? moment_text(sheet, *time) : known ? "later" : "history too short"};
    };
    const auto number = [](const std::optional<double>& value, auto text) {
      return value ? Cell{text(*value), *value} : Cell{"-"};
    };
    Cell chance{"-"};
    if (known) chance = {percent(row.runway.probability()), row.runway.probability()};
    table.add({{title_of(row)},
               line_cell(row),
               {fmt::format("{} [{}, {}]", amount_text(row.peak[3]), amount_text(row.peak.front()),
                            amount_text(row.peak.back())),
                row.peak[3]},
               chance,
               moment(0.1),
               moment(0.5),
               moment(0.9),
               {order_text(sheet, row)},
               {method_text(row)},
               number(row.outlook.mase, [](double mase) { return fmt::format("{:.2f}", mase); }),
               number(row.outlook.coverage, [](double share) { return percent(share); })});
  }
  const std::string history =
      r.history ? element("p", "", escaped("History of " + history_text(*r.history))) + "\n" : "";
  return element("div", "class=\"charts\"", runway_figures(r)) + "\n" + table.markup() +
         routes_ahead_html(r) + history +
         (r.reserve
              ? element("p", "", escaped(capitalised(reserve_sentence(r, *r.reserve)) + ".")) + "\n"
              : "") +
         bullets(runway_notes(sheet));
}

// ---- what might happen

std::string scenario_section(const ForecastReport& r) {
  PageTable table(
      "What each of them moves, and when to roll back",
      {"scenario", "what happens", "worse", "better", "guardrail", "roll back", "owner"});
  for (const ScenarioRow& row : r.headroom.scenarios) {
    std::string about = row.about;
    if (row.attempts > 1.005) {
      about += fmt::format("{}each request is sent {:.2f} times", about.empty() ? "" : "; ",
                           row.attempts);
    }
    table.add({{row.name},
               {about},
               {worse_text(row)},
               {row.problem.empty() ? titles_of(row.better) : "not simulated"},
               {guardrail(row, r.request.slos)},
               {rollback_trigger(row)},
               {row.owner}});
  }
  return scenario_matrix(r) + table.markup();
}

// ---- routes, what came

std::string routes_section(const ForecastReport& r) {
  std::vector<std::string> header{"route",      "requests/s",  "prompt p95",
                                  "answer p95", "context p95", "at once",
                                  "cached",     "retries",     "useful"};
  if (!r.headroom.costs.empty()) {
    header.insert(header.end(), {"$ per 1,000 requests", "$ per 1,000 useful"});
  }
  PageTable table("", header);
  for (const Route& route : r.request.forecast) {
    const double prompt = p95_prompt_tokens(route, r.request.load);
    const double answer = p95_answer_tokens(route, r.request.load);
    const double context = p95_context_tokens(route, r.request.load);
    std::vector<Cell> cells{
        {title_of(route)},
        {amount_text(route.requests_per_s), route.requests_per_s},
        {amount_text(prompt), prompt},
        {amount_text(answer), answer},
        {amount_text(context), context},
        amount_cell(at_once(r.headroom, route), ""),
        {percent(cached_share_of(r.headroom, route)), cached_share_of(r.headroom, route)},
        {percent(route.retry_share), route.retry_share},
        {percent(useful_share(r.headroom, route)), useful_share(r.headroom, route)}};
    const auto cost = std::ranges::find(r.headroom.costs, route.name, &RouteCost::route);
    if (cost == r.headroom.costs.end()) {
      if (!r.headroom.costs.empty()) cells.insert(cells.end(), {{"-"}, {"-"}});
    } else {
      const double usd = cost->usd_per_1k_requests;
      cells.push_back({three_digits(usd), usd});
      const auto& of_use = cost->usd_per_1k_of_use;
      cells.push_back(of_use ? Cell{three_digits(*of_use), *of_use} : Cell{"-"});
    }
    table.add(cells);
  }
  return table.markup();
}

std::string actuals_section(const ForecastReport& r) {
  if (!r.actuals) return {};
  PageTable table(actuals_source(*r.actuals), {"", "forecast", "came", "error", "inside the band"});
  for (const ActualRow& row : r.actuals->rows) {
    const std::string key = "actuals." + row.name + (row.route.empty() ? "" : "." + row.route);
    const auto error = row.error();
    table.add({{title_of(row)},
               {forecast_of(row)},
               {amount_of(row, row.actual), row.actual, key},
               error ? Cell{error_of(row), *error} : Cell{"-"},
               {inside_of(row)}},
              &row == r.actuals->most_wrong());
  }
  std::string verdict = actuals_verdict(*r.actuals) + ".";
  return element("p", "", escaped(verdict)) + "\n" + table.markup();
}

// ---- what it rests on

std::vector<std::string> forecast_foundations(const ForecastReport& r) {
  const ForecastRequest& q = r.request;
  std::vector<std::string> lines = r.deployment;
  std::vector<std::string> slos = mapped(q.slos, [](const Slo& slo) { return title_of(slo); });
  lines.push_back(slos.empty() ? "no limit on latency: the queue must not grow"
                               : "limits: " + join(slos, ", "));
  lines.push_back(
      fmt::format("lengths: lognormal, coefficient of variation {}; arrivals: {}; seed {}",
                  three_digits(q.load.length_cv),
                  q.load.arrival.process == ArrivalProcess::gamma
                      ? "gamma, coefficient of variation " + three_digits(q.load.arrival.cv)
                      : "Poisson",
                  q.load.seed));
  lines.push_back(fmt::format("mean load of a month: {} of the peak", percent(q.mean_load)));
  lines.push_back(q.band ? fmt::format("band: {} to {} times the requests of the forecast",
                                       three_digits(q.band->low), three_digits(q.band->high))
                         : "band: none given, so the forecast is a single value");
  if (!q.history.path.empty()) {
    lines.push_back(
        fmt::format("history: {}; {} days ahead, an order takes {} days, a cold start {} s",
                    q.history.path, three_digits(q.history.horizon_days),
                    three_digits(q.history.lead_time_days), three_digits(q.history.cold_start_s)));
  }
  if (r.runway && r.runway->dated)
    lines.push_back("days and orders are counted from " + moment_text(*r.runway, r.runway->now_s));
  lines.push_back("forecast: " + q.file);
  return lines;
}

}  // namespace

std::string forecast_html(const ForecastReport& r) {
  const std::string body =
      "<main>\n" + forecast_head(r) + section("Headroom", headroom_gauges(r) + sheet_table(r)) +
      section("The peak, simulated", peak_section(r)) +
      section("Questions of a review", bullets(review_sentences(r))) +
      section("What a loss takes", bullets(loss_sentences(r))) +
      section("Migrations", bullets(migration_sentences(r))) +
      section("What would help", levers_table(r)) + section("Runway", runway_section(r)) +
      section("Forecast against what came", actuals_section(r)) +
      section("What might happen", scenario_section(r)) + section("Routes", routes_section(r)) +
      section("Providers", providers_html(r)) +
      section("What it rests on", bullets(forecast_foundations(r))) + repeat_section(r.command) +
      "</main>\n";
  return page("forecast", "Forecast: " + (r.request.name.empty() ? r.request.file : r.request.name),
              body);
}

}  // namespace plimsoll
