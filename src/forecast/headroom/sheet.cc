#include "forecast/headroom/sheet.h"

#include <cmath>

#include "base/lists.h"

namespace plimsoll {

std::string_view name_of(Provenance provenance) {
  static constexpr std::string_view kNames[]{"given", "routes", "simulated", "deployed", "history"};
  return kNames[static_cast<std::size_t>(provenance)];
}

std::optional<double> used_share(const std::optional<double>& demand,
                                 const std::optional<double>& capacity) {
  if (!demand || !capacity) return std::nullopt;
  if (*capacity > 0) return *demand / *capacity;
  return *demand > 0 ? std::numeric_limits<double>::infinity() : 0;
}

Interval PeakCheck::judged_as(const Line& other) const {
  if (!judged || line.factor <= 0) return other.interval;
  const double times = other.factor / line.factor;
  return {std::fmin(other.interval.low, judged->low * times),
          std::fmax(other.interval.high, judged->high * times)};
}

std::optional<double> refused_share(const PeakCheck& peak) {
  constexpr double kLeast = 0.001;
  const GroupSummary& all = peak.probe.summary.cluster;
  if (all.injected <= 0) return std::nullopt;
  const double share =
      static_cast<double>(all.dropped_unservable) / static_cast<double>(all.injected);
  return share >= kLeast ? std::optional(share) : std::nullopt;
}

std::optional<double> SheetRow::utilisation() const { return used_share(forecast_p95, capacity); }

std::optional<double> SheetRow::headroom() const {
  if (!capacity || !forecast_p95) return std::nullopt;
  return *capacity - *forecast_p95;
}

std::optional<Risk> SheetRow::risk() const {
  const auto used = utilisation();
  if (!used) return std::nullopt;
  if (refused_share) return Risk::shortfall;
  return risk_of(resource, *used);
}

const ScenarioRow* HeadroomSheet::hardest_hour() const {
  const ScenarioRow* hardest = nullptr;
  for (const ScenarioRow& row : scenarios) {
    if (!row.is_busy_hour || !row.peak || !row.peak->line.is_known) continue;
    if (hardest == nullptr || row.peak->line.factor < hardest->peak->line.factor) hardest = &row;
  }
  return hardest;
}

const SheetRow* HeadroomSheet::row_of(Resource resource) const {
  return find_in(rows, resource, &SheetRow::resource);
}

std::optional<Resource> ScenarioRow::pressed() const {
  // What runs out is what the row names; that requests are too long shows in what they ask for.
  if (binding && *binding != Resource::context_tokens && used(*binding).value_or(0) > 1)
    return binding;
  return worse.empty() ? binding : std::optional(worse.front());
}

std::optional<double> ScenarioRow::used(Resource resource) const {
  return used_share(at(demand, resource), at(capacity, resource));
}

double cached_share_of(const HeadroomSheet& headroom, const Route& route) {
  const bool is_seen = route.sessions && !route.from_provider;
  return route.cached_share * (is_seen ? headroom.session_hits : 1);
}

std::vector<Route> as_seen(const HeadroomSheet& headroom, std::vector<Route> routes) {
  for (Route& route : routes) route.cached_share = cached_share_of(headroom, route);
  return routes;
}

bool is_tight(const HeadroomSheet& headroom) {
  constexpr double kTightShare = 0.8;
  if (headroom.binding == Resource::context_tokens && headroom.forecast->line.factor <= 0)
    return false;  // requests do not get shorter
  if (headroom.forecast->line.factor * kTightShare <= 1) return true;
  return std::ranges::any_of(headroom.rows, [](const SheetRow& row) {
    const bool can_change = row.resource == Resource::gpus || row.resource == Resource::budget;
    return can_change && row.risk().value_or(Risk::ok) != Risk::ok;
  });
}

bool is_uncovered(const HeadroomSheet& headroom) {
  const auto& peak = headroom.forecast;
  return peak && peak->judged && peak->judged->low < 1 && !headroom.gpus_at_slow_end;
}

std::optional<Resource> binding_of(const ResourceVector& used) {
  constexpr Resource kWait = Resource::queue_delay;
  if (at(used, Resource::context_tokens) > 1) return Resource::context_tokens;
  std::optional<Resource> binding;
  std::optional<Resource> short_one;  // but the wait
  for (const ResourceFacts& facts : resources()) {
    const auto& share = at(used, facts.resource);
    if (!share) continue;
    if (!binding || *share > *at(used, *binding)) binding = facts.resource;
    if (facts.resource == kWait || *share <= 1) continue;
    if (!short_one || *share > *at(used, *short_one)) short_one = facts.resource;
  }
  return binding == kWait && short_one ? short_one : binding;
}

}  // namespace plimsoll
