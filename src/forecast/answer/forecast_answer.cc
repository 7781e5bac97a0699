#include "forecast/answer/forecast_answer.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "forecast/answer/choices.h"

namespace plimsoll {
namespace {

bool is_cold(const Scenario& scenario) {
  if (scenario.from_baseline || scenario.changes.size() != 1) return false;
  Change cold;
  cold.set = {{&Route::cached_share, 0}};
  return scenario.changes.front() == cold;
}

}  // namespace

bool ForecastAnswer::is_short() const {
  const bool any = std::ranges::any_of(headroom.rows, [](const SheetRow& row) {
    return row.risk() == Risk::shortfall || row.risk() == Risk::memory_risk;
  });
  const auto& peak = headroom.forecast;
  const ScenarioRow* hour = headroom.hardest_hour();
  return any || (peak && (peak->probe.answer == Answer::fails || refused_share(*peak))) ||
         (hour != nullptr && hour->peak->probe.answer == Answer::fails);
}

bool ForecastAnswer::is_short_by_error_alone() const {
  const auto& peak = headroom.forecast;
  return peak && peak->line.is_known && peak->held().low < 1 && !is_short();
}

const PeakCheck* ForecastAnswer::kept_at_no_load() const {
  if (headroom.interrupted) return nullptr;
  const ScenarioRow* hour = headroom.hardest_hour();
  if (hour != nullptr && hour->peak->line.factor <= 0) return &*hour->peak;
  const auto& peak = headroom.forecast;
  const bool is_none = peak && peak->line.is_known && peak->line.factor <= 0;
  return is_none && headroom.binding != Resource::context_tokens ? &*peak : nullptr;
}

bool ForecastAnswer::leaves_idle() const {
  const auto& peak = headroom.forecast;
  if (!peak || peak->probe.answer == Answer::holds) return false;
  if (peak->probe.summary.bottleneck.lever.cause == Remedy::spread_requests) return true;
  return other_router(*this) != nullptr &&
         find_where(levers, [](const LeverResult& lever) {
           const auto& flags = lever.lever.flags;
           return lever.lever.kind == LeverKind::gains && flags.size() == 1 &&
                  flags.front().starts_with("--num-instances") && lever.more <= kToldApart;
         }) != nullptr;
}

double ForecastAnswer::least_at_peak() const {
  const auto& peak = headroom.forecast;
  const ScenarioRow* hour = headroom.hardest_hour();
  return std::fmin(peak && peak->line.is_known ? peak->held().low : 1,
                   hour != nullptr ? hour->peak->held().low : 1);
}

double ForecastAnswer::least_after_loss() const {
  double least = 1;
  for (const LossPlan& plan : losses) least = std::fmin(least, plan.held_at_slow_end);
  return least;
}

double ForecastAnswer::least_with(const LeverResult& lever) const {
  if (lever.held_within) return lever.held_within->low;
  const auto& peak = headroom.forecast;
  return peak ? peak->judged_as(lever.line).low : lever.line.factor;
}

std::optional<double> ForecastAnswer::headroom_with(const SheetRow& binding) const {
  const auto& peak = headroom.forecast;
  const ScenarioRow* hour = headroom.hardest_hour();
  double handled = peak && peak->line.is_known ? peak->line.factor : INFINITY;
  if (hour != nullptr && binding.resource != Resource::context_tokens)
    handled = std::fmin(handled, hour->peak->line.factor);
  // More requests are no longer ones, and take no more GPUs until somebody adds them: neither row
  // says how many requests there may be.
  const bool is_load =
      binding.resource != Resource::context_tokens && binding.resource != Resource::gpus;
  const double most = is_load ? std::fmin(handled, 1 / *binding.utilisation()) : handled;
  return std::isfinite(most) ? std::optional(most - 1) : std::nullopt;
}

double ForecastAnswer::missing_share(Resource resource) const {
  const RunwayRow* ahead = runway ? find_in(runway->rows, resource, &RunwayRow::resource) : nullptr;
  const SheetRow* row = headroom.row_of(resource);
  const double used = ahead != nullptr && ahead->line > 0 ? ahead->peak[kNinety] / ahead->line
                      : row != nullptr                    ? row->utilisation().value_or(0)
                                                          : 0;
  return used > 1 && std::isfinite(used) ? used - 1 : 0;
}

double ForecastAnswer::high_end_of_band() const {
  if (runway && !runway->too_short()) return 0;
  double most = 0;
  for (const SheetRow& row : headroom.rows) {
    if (row.forecast_band && row.capacity && *row.capacity > 0)
      most = std::fmax(most, row.forecast_band->high / *row.capacity);
  }
  return most;
}

double ForecastAnswer::shared_prefix() const {
  constexpr double kLarge = 0.5;
  constexpr double kLargeIfCounted = 0.1;
  const bool is_counted = contains(routes_ahead, RouteFigure::cached_share, &RouteOutlook::figure);
  double most = 0;
  for (const Route& route : request.forecast) {
    if (!route.from_provider && !route.sessions) most = std::fmax(most, route.cached_share);
  }
  return most >= (is_counted ? kLargeIfCounted : kLarge) ? most : 0;
}

const RunwayRow* ForecastAnswer::with_short_history() const {
  if (!runway) return nullptr;
  return find_where(runway->rows, [](const RunwayRow& row) { return row.outlook.too_short; });
}

Resource ForecastAnswer::cause_of_delay() const {
  Resource most = Resource::requests;
  double used = 0;
  for (const SheetRow& row : headroom.rows) {
    const bool is_load = row.resource == Resource::requests ||
                         row.resource == Resource::prompt_tokens ||
                         row.resource == Resource::output_tokens;
    if (!is_load || row.utilisation().value_or(0) <= used) continue;
    used = *row.utilisation();
    most = row.resource;
  }
  return most;
}

std::optional<SessionHits> ForecastAnswer::session_hits() const {
  double prompts = 0;
  double repeated = 0;
  for (const Flow& flow : served_flows(flows_of(request.forecast))) {
    if (!flow.sessions) continue;
    prompts += flow.requests_per_s * flow.prompt_tokens;
    repeated += flow.requests_per_s * flow.prompt_tokens * flow.cached_share;
  }
  if (prompts <= 0 || !headroom.forecast) return std::nullopt;
  const double share = repeated / prompts;
  return SessionHits{share * headroom.session_hits, share};
}

const ScenarioRow* ForecastAnswer::cold_scenario() const {
  const Scenario* asked = find_where(request.scenarios, is_cold);
  return asked == nullptr ? nullptr : find_in(headroom.scenarios, asked->name, &ScenarioRow::name);
}

const ProviderRow* ForecastAnswer::first_provider() const {
  const ProviderRow* first = nullptr;
  for (const ProviderRow& row : headroom.providers) {
    if (row.used() && (first == nullptr || *row.used() > *first->used())) first = &row;
  }
  return first;
}

std::optional<double> ForecastAnswer::bill_beyond_budget(double more_usd) const {
  const SheetRow* budget = headroom.row_of(Resource::budget);
  if (budget == nullptr || !budget->capacity) return std::nullopt;
  const double bill = budget->forecast_p95.value_or(0) + more_usd;
  return bill > *budget->capacity ? std::optional(bill) : std::nullopt;
}

std::optional<std::int64_t> ForecastAnswer::quota_of_gpus(std::int64_t wanted) const {
  const SheetRow* quota = headroom.row_of(Resource::gpus);
  if (quota == nullptr || !quota->capacity) return std::nullopt;
  const std::int64_t most = std::llround(*quota->capacity);
  return wanted > most ? std::optional(most) : std::nullopt;
}

std::optional<NeededGpus> ForecastAnswer::needed_gpus() const {
  const SheetRow* row = headroom.row_of(Resource::gpus);
  if (row == nullptr || !row->forecast_p95) return std::nullopt;
  NeededGpus needed{*row->forecast_p95, std::nullopt};
  if (usd_per_month > 0) needed.usd_per_month = usd_of(needed.gpus);
  const double one = gpus / std::fmax(1, static_cast<double>(instances));
  const double fewer = gpus > 0 ? (gpus - one) / gpus : 0;
  needed.may_be_fewer = needed.gpus <= gpus && headroom.forecast->line.factor * fewer >= 1;
  return needed;
}

const LossPlan* ForecastAnswer::dearest_loss() const {
  const auto most = std::ranges::max_element(losses, {}, &LossPlan::add_gpus);
  return most == losses.end() || most->add_gpus == 0 ? nullptr : &*most;
}

const LossPlan* ForecastAnswer::unsurvived_loss() const {
  if (const LossPlan* never = find_in(losses, 0, &LossPlan::gpus)) return never;
  const LossPlan* dearest = dearest_loss();
  if (dearest == nullptr || !dearest->is_close()) return dearest;
  const LossPlan* surely = find_where(
      losses, [](const LossPlan& plan) { return plan.add_gpus > 0 && !plan.is_close(); });
  return surely == nullptr ? dearest : surely;
}

}  // namespace plimsoll
