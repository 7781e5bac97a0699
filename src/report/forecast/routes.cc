// The routes of a forecast, one row for each: what they ask for, what they were in the busy hours
// of the last season and what they become, and the providers that they name.
#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// The share of the requests of a route that get an answer that somebody can use.
double useful_share(const HeadroomSheet& headroom, const Route& route) {
  return route.share_of_use() * servable_share(headroom.too_long, route.name);
}

std::vector<Column> route_columns(const ForecastReport& r) {
  std::vector<Column> columns =
      columns_of({"<route", "requests/s", "prompt p95", "answer p95", "context p95", "at once",
                  "cached", "retries", "useful", "$/1k", "$/1k useful"});
  for (const Route& route : r.request.forecast) {
    const RouteCost* cost = find_in(r.headroom.costs, route.name, &RouteCost::route);
    add_row(&columns,
            {title_of(route), amount_text(route.requests_per_s),
             amount_text(p95_prompt_tokens(route, r.request.load)),
             amount_text(p95_answer_tokens(route, r.request.load)),
             amount_text(p95_context_tokens(route, r.request.load)),
             cell_text(at_once(r.headroom, route)), percent(cached_share_of(r.headroom, route)),
             percent(route.retry_share), percent(useful_share(r.headroom, route)),
             cost != nullptr ? three_digits(cost->usd_per_1k_requests) : "-",
             cost != nullptr ? cell_text(cost->usd_per_1k_of_use) : "-"});
  }
  return columns;
}

// ---- ahead

struct FigureColumn {
  const char* title;
  std::vector<RouteFigure> figures;  ///< of which a history has one at most
  bool is_share = false;
};

std::string change_text(const RouteOutlook& outlook, bool is_share) {
  const auto text = [&](double value) { return is_share ? percent(value) : amount_text(value); };
  return text(outlook.now) + " -> " + text(outlook.ahead);
}

// The cells of these routes; no column where the history has no such figure.
std::optional<Column> change_column(const std::vector<RouteOutlook>& all,
                                    const std::vector<std::string>& routes,
                                    const FigureColumn& figure) {
  Column column{figure.title, {}};
  bool any = false;
  for (const std::string& route : routes) {
    const RouteOutlook* found = find_where(all, [&](const RouteOutlook& outlook) {
      return outlook.route == route && std::ranges::count(figure.figures, outlook.figure) > 0;
    });
    any = any || found != nullptr;
    column.cells.push_back(found == nullptr ? "-" : change_text(*found, figure.is_share));
  }
  return any ? std::optional(column) : std::nullopt;
}

// ---- providers

constexpr double kSomeRefused = 5e-5;  // less is shown as none

std::vector<Column> provider_columns(const ForecastReport& r) {
  std::vector<Column> columns =
      columns_of({"<provider", "requests/min", "tokens/min", "used", "refused", "$/month"});
  const auto of_most = [](double demand, const std::optional<double>& most) {
    return amount_text(demand) + (most ? " of " + amount_text(*most) : "");
  };
  for (const ProviderRow& row : r.headroom.providers) {
    add_row(&columns, {row.provider, of_most(row.requests_per_min, row.most_requests_per_min),
                       of_most(row.tokens_per_min, row.most_tokens_per_min),
                       row.used() ? percent(*row.used()) : "-",
                       percent(row.refused < kSomeRefused ? 0 : row.refused),
                       amount_text(row.usd_per_month)});
  }
  return columns;
}

// Says which provider runs out first, and what all of them cost; ends without a full stop.
std::string provider_sentence(const ForecastReport& r) {
  const ProviderRow* first = r.first_provider();
  const double usd = total_of(r.headroom.providers, &ProviderRow::usd_per_month);
  const std::string bill = fmt::format("providers cost ${} a month", amount_text(usd));
  if (first == nullptr) return bill;
  std::string text =
      fmt::format("{} {}, at {} of it", first->provider,
                  *first->used() > 1 ? "exceeds its limit first" : "comes nearest to its limit",
                  percent(*first->used()));
  if (first->refused >= kSomeRefused) {
    text += fmt::format("; while the peak lasts it refuses {} of its requests (429)",
                        percent(first->refused));
  }
  return text + "; " + bill;
}

}  // namespace

std::string title_of(const Route& route) {
  return route.version.empty() ? route.name : route.name + " " + route.version;
}

std::optional<double> at_once(const HeadroomSheet& headroom, const Route& route) {
  const auto* found = find_in(headroom.concurrency, route.name, &RouteConcurrency::route);
  return found == nullptr ? std::nullopt : std::optional(found->requests);
}

std::vector<Column> routes_ahead_columns(const ForecastReport& r) {
  static const std::vector<FigureColumn> kFigures{
      {"requests", {RouteFigure::request_share}, true},
      {"prompt tokens", {RouteFigure::prompt_tokens, RouteFigure::fresh_prompt_tokens}},
      {"cached", {RouteFigure::cached_share}, true},
      {"answer tokens", {RouteFigure::output_tokens}},
      {"retries", {RouteFigure::retry_share}, true}};
  if (r.routes_ahead.empty()) return {};
  std::vector<std::string> routes;
  for (const RouteOutlook& outlook : r.routes_ahead) add_once(&routes, outlook.route);
  Column names{"now -> ahead", routes, false};
  std::ranges::replace(names.cells, "", "all routes");
  std::vector<Column> columns{std::move(names)};
  for (const FigureColumn& figure : kFigures) {
    if (auto column = change_column(r.routes_ahead, routes, figure))
      columns.push_back(std::move(*column));
  }
  return columns;
}

void add_routes(const ForecastReport& r, TextReport* out) {
  out->begin_section("Routes");
  out->table(telling(route_columns(r)));
}

void add_providers(const ForecastReport& r, TextReport* out) {
  if (r.headroom.providers.empty()) return;
  out->begin_section("Providers");
  out->table(provider_columns(r));
  out->line("providers", provider_sentence(r) + ".");
  out->add("\n");
}

}  // namespace plimsoll
