// What to do about a forecast: what to order, to raise or to take away, and by when. All of it is
// meant for the same risk (kAcceptedRisk).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/answer/choices.h"
#include "report/answer/reasons.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

/// Something to do, and by when; in lower case, without its full stop.
struct Action {
  std::string text;
  double by_s = INFINITY;
};

// Too small a budget, or too large a fleet.
std::string budget_text(const ForecastReport& r) {
  // Fewer instances that hold the whole forecast, for less.
  const LeverResult* smaller = find_where(r.levers, &LeverResult::saves);
  if (smaller == nullptr || r.headroom.row_of(Resource::budget) == nullptr)
    return "raise the budget";
  const double saved = -*smaller->usd_per_month;
  const std::string text =
      fmt::format("deploy {}: {} handle the forecast{}, for ${} a month less", smaller->lever.name,
                  counted(std::llround(smaller->gpus), "GPU"),
                  r.least_with(*smaller) < 1
                      ? ", though not if real steps are as slow as the model's error allows"
                      : "",
                  amount_text(saved));
  return r.bill_beyond_budget(-saved) ? text + "; raise the budget for the rest" : text;
}

// What comes before an order where so many GPUs cannot be had.
std::string raised_quota_text(const ForecastReport& r, std::int64_t add) {
  const auto wanted = static_cast<std::int64_t>(std::llround(r.gpus)) + add;
  const auto quota = r.quota_of_gpus(wanted);
  return quota ? fmt::format("; first have the quota of GPUs raised from {} to {}", *quota, wanted)
               : std::string();
}

std::string bill_text(const ForecastReport& r, const GpuOrder& order) {
  const auto bill = bill_beyond_budget(r, order);
  if (!bill) return {};
  return fmt::format(", which makes the bill ${} a month against a budget of ${}",
                     amount_text(*bill),
                     amount_text(*r.headroom.row_of(Resource::budget)->capacity));
}

// What comes before any order; `r` leaves instances idle.
std::string spreading_text(const ForecastReport& r) {
  const LeverResult* other = other_router(r);
  const std::string router = other != nullptr
                                 ? other->lever.flags.front().substr(kRoutingFlag.size() + 1)
                                 : "least-loaded";
  const std::string enough =
      other != nullptr && other->line.factor >= 1
          ? fmt::format("which handles {} of the forecast peak", percent(other->line.factor))
          : "and count the GPUs after that";
  return fmt::format("spread the requests over all instances ({} {}), {}", kRoutingFlag, router,
                     enough);
}

// What the GPUs of an order are for, and how many of them for each; nothing for the demand alone.
std::string purpose_text(const ForecastReport& r, const GpuOrder& order) {
  const bool fits = r.is_short_by_error_alone();
  const std::string error(kErrorPurpose);
  std::vector<std::string> purposes;
  std::vector<std::string> counts;
  const auto add = [&](std::int64_t gpus, const std::string& purpose) {
    if (gpus <= 0) return;
    purposes.push_back(purpose);
    counts.push_back(grouped(gpus) + " " + purpose);
  };
  add(order.for_demand, fits ? error : "for the demand");
  add(order.for_error, error);
  if (order.survives) add(order.for_loss, "to survive the loss of " + name_of(*order.survives));
  if (purposes.size() > 1) {
    const std::string last = counts.back();
    counts.pop_back();
    return ": " + join(counts, ", ") + " and " + last;
  }
  const bool is_plain = order.for_demand > 0 && !fits;
  if (!is_plain) return purposes.empty() ? "" : " " + purposes.front();
  return r.is_uncovered() ? ", which no test showed to cover the model's error" : "";
}

// Says by when GPUs are needed that can no longer come in time, and when they come; of an order for
// the demand and for a loss, those for the demand. Empty where they are in time.
std::string late_text(const ForecastReport& r, const GpuOrder& order) {
  if (!r.runway || !order.when.late) return {};
  const Order& demand = r.runway->gpu_plan.order;
  const Order& when = order.for_demand > 0 && demand.late ? demand : order.when;
  const HistoryRequest& history = r.request.history;
  const double wait_s = history.lead_time_days * kDayS + history.cold_start_s;
  const double needed_s = *when.by_s + wait_s;
  const std::string serves = moment_text(*r.runway, r.runway->now_s + wait_s);
  const std::string needed = moment_text(*r.runway, needed_s);
  const std::string too_late =
      fmt::format("{} chance this is too late", percent(when.chance_if_now));
  if (needed_s <= r.runway->now_s)
    return fmt::format("; the GPUs are needed now, but serve from {} at the earliest", serves);
  if (needed == serves)
    return fmt::format("; the GPUs serve from {} at the earliest ({})", serves, too_late);
  return fmt::format("; the GPUs are needed from {}, but serve from {} at the earliest ({})",
                     needed, serves, too_late);
}

std::optional<Action> order_of_gpus(const ForecastReport& r) {
  const std::optional<GpuOrder> order = gpus_to_order(r);
  if (!order) return std::nullopt;
  const std::string free =
      order->for_loss > 0 ? std::string() : free_lever_text(r, r.is_short_by_error_alone());
  return Action{order_text(r, counted(order->gpus, "GPU"), order->when, order->usd_per_month,
                           order->is_with_confidence ? confidence_text() : "") +
                    purpose_text(r, *order) + bill_text(r, *order) +
                    raised_quota_text(r, order->gpus) + (free.empty() ? "" : ", or " + free) +
                    (order->is_never_sure ? "; " + std::string(kNeverSure) : "") +
                    late_text(r, *order),
                order->when.by_s.value_or(INFINITY)};
}

// Adds all that GPUs are no help for; of what is done by the same act, the first date.
void add_other_remedies(const ForecastReport& r, std::vector<Action>* actions) {
  std::vector<const RunwayRow*> rows;
  if (!r.runway) return;
  for (const RunwayRow& row : r.runway->rows) {
    const bool is_quota = row.resource == Resource::gpus;  // an order says what to have raised
    if (!row.by_gpus && !is_quota && row.order.by_s) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, {}, [](const RunwayRow* row) { return *row->order.by_s; });
  for (const RunwayRow* row : rows) {
    const std::string act = remedy_text(r, row->resource);
    const bool is_said = std::ranges::any_of(
        *actions, [&](const Action& action) { return action.text.find(act) != act.npos; });
    if (!is_said)
      actions->push_back({act + " " + order_moment_text(r, row->order), *row->order.by_s});
  }
}

}  // namespace

std::string confidence_text() {
  return fmt::format("{:.0f} % confidence", 100 * (1 - kAcceptedRisk));
}

std::string remedy_text(const ForecastReport& r, Resource resource) {
  switch (resource) {
    case Resource::budget:
      return budget_text(r);
    case Resource::context_tokens:
      return "use " + remedy_text(r.longer_requests);
    case Resource::provider_requests:
    case Resource::provider_tokens:
      return "have the provider raise its limit";
    case Resource::gateway_requests:
      return "raise the gateway limit";
    case Resource::queue_delay:
      if (r.leaves_idle()) return spreading_text(r);
      if (std::string free = free_lever_text(r, false); !free.empty()) return free;
      return remedy_text(r, r.cause_of_delay());
    default:
      break;
  }
  const SheetRow* row = r.headroom.row_of(resource);
  const bool is_limit = resource == Resource::requests && !r.deployment.empty() && row != nullptr &&
                        row->capacity_from == Provenance::given;
  const std::string title(facts_of(resource).title);
  const double missing = r.missing_share(resource);
  const std::string least = missing > 0 ? "at least " + percent(missing) : "";
  constexpr double kManyTimes = 9;
  if (resource == Resource::active_kv_tokens)
    return fmt::format("add {}KV memory", least.empty() ? "" : least + " ");
  if (missing > kManyTimes && !is_limit)
    return fmt::format("order {} times the capacity for {}", amount_text(1 + missing), title);
  if (is_limit) {
    return fmt::format("raise the limit of {} {}{}", amount_text(*row->capacity), title,
                       least.empty() ? "" : " by " + least);
  }
  return fmt::format("order {}more capacity for {}", least.empty() ? "" : least + " ", title);
}

std::string gpu_order_text(const ForecastReport& r) {
  const auto order = order_of_gpus(r);
  return order ? order->text : std::string();
}

std::string action_of(const ForecastReport& r) {
  if (const PeakCheck* peak = r.kept_at_no_load()) {
    const auto& beyond = peak->line.beyond;
    const std::string why = beyond ? reason_text(*beyond, r.request.slos) : std::string();
    return "Relax the limits, or serve on another GPU or layout: this deployment keeps them at no "
           "load" +
           (why.empty() ? "" : " (at the least that was tested: " + why + ")");
  }
  std::vector<Action> actions;
  if (r.leaves_idle()) actions.push_back({spreading_text(r), -INFINITY});
  if (auto gpus = order_of_gpus(r)) actions.push_back(std::move(*gpus));
  add_other_remedies(r, &actions);
  if (actions.empty() && r.is_short() && r.headroom.binding)
    actions.push_back({remedy_text(r, *r.headroom.binding)});
  if (actions.empty() && !r.leaves_idle() && r.is_uncovered()) {
    const std::string free = best_free_lever_text(r);
    actions.push_back(
        {(free.empty() ? "" : free + "; then ") +
         "relax the limits or measure the step times: no number of GPUs tested keeps the limits "
         "if real steps are as slow as the model's error allows"});
  }
  std::ranges::stable_sort(actions, {}, &Action::by_s);
  return capitalised(join(mapped(actions, [](const Action& action) { return action.text; }), "; "));
}

}  // namespace plimsoll
