// What to do about a forecast: what to order, to raise or to take away, and by when. All of it is
// meant for the same risk (kAcceptedRisk).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
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

// Of a capacity, the share that is missing at the highest demand that an order allows for; of a
// forecast without a history, at the forecast itself. 0: nothing, or nobody knows how much.
double missing_share(const ForecastReport& r, Resource resource) {
  const RunwayRow* ahead =
      r.runway ? find_in(r.runway->rows, resource, &RunwayRow::resource) : nullptr;
  const SheetRow* row = r.headroom.row_of(resource);
  const double used = ahead != nullptr && ahead->line > 0 ? ahead->peak[kNinety] / ahead->line
                      : row != nullptr                    ? row->utilisation().value_or(0)
                                                          : 0;
  return used > 1 && std::isfinite(used) ? used - 1 : 0;
}

// Fewer instances that hold the whole forecast; null: none were found, or they cost no less.
const LeverResult* smaller_fleet(const ForecastReport& r) {
  return find_where(r.levers, &LeverResult::saves);
}

// Too small a budget, or too large a fleet.
std::string budget_text(const ForecastReport& r) {
  const LeverResult* smaller = smaller_fleet(r);
  const SheetRow* budget = r.headroom.row_of(Resource::budget);
  if (smaller == nullptr || budget == nullptr) return "raise the budget";
  const double saved = -*smaller->usd_per_month;
  const double left = budget->forecast_p95.value_or(0) - saved;
  const std::string text =
      fmt::format("deploy {}: {} handle the forecast{}, for ${} a month less", smaller->lever.name,
                  counted(std::llround(smaller->gpus), "GPU"),
                  least_handled(r, *smaller) < 1
                      ? ", though not if real steps are as slow as the model's error allows"
                      : "",
                  amount_text(saved));
  return left > budget->capacity.value_or(0) ? text + "; raise the budget for the rest" : text;
}

// What comes before an order where so many GPUs cannot be had.
std::string raised_quota_text(const ForecastReport& r, std::int64_t add) {
  const auto wanted = static_cast<std::int64_t>(std::llround(r.gpus)) + add;
  const auto quota = quota_of_gpus(r, wanted);
  return quota ? fmt::format("; first have the quota of GPUs raised from {} to {}", *quota, wanted)
               : std::string();
}

// What an order makes of the bill, where that is beyond the budget: the sheet's has no GPUs that
// stand by for a loss or for the risk.
std::string bill_text(const ForecastReport& r, const GpuOrder& order) {
  const SheetRow* budget = r.headroom.row_of(Resource::budget);
  const SheetRow* gpus = r.headroom.row_of(Resource::gpus);
  if (budget == nullptr || gpus == nullptr || !gpus->forecast_p95 || r.usd_per_month <= 0)
    return {};
  const double more = r.gpus + static_cast<double>(order.gpus) - *gpus->forecast_p95;
  const double bill = budget->forecast_p95.value_or(0) + more * r.usd_per_month / r.gpus;
  if (bill <= budget->capacity.value_or(INFINITY)) return {};
  return fmt::format(", which makes the bill ${} a month against a budget of ${}",
                     amount_text(bill), amount_text(*budget->capacity));
}

constexpr std::string_view kRouting = "--routing-policy";

// Of the other routers that were tried, the one that holds most; null: each holds less than now.
const LeverResult* other_router(const ForecastReport& r) {
  const LeverResult* best = nullptr;
  for (const LeverResult& lever : r.levers) {
    const auto& flags = lever.lever.flags;
    if (flags.size() != 1 || !flags.front().starts_with(kRouting) || lever.more < -kToldApart)
      continue;
    if (best == nullptr || lever.line.factor > best->line.factor) best = &lever;
  }
  return best;
}

// The router leaves instances idle at the peak, and more of them would idle, too: few of them serve
// most of it, or the levers show that one more is no gain.
bool leaves_idle(const ForecastReport& r) {
  const auto& peak = r.headroom.forecast;
  if (!peak || peak->probe.answer == Answer::holds) return false;
  if (peak->probe.summary.bottleneck.lever.cause == Remedy::spread_requests) return true;
  return other_router(r) != nullptr &&
         find_where(r.levers, [](const LeverResult& lever) {
           const auto& flags = lever.lever.flags;
           return lever.lever.kind == LeverKind::gains && flags.size() == 1 &&
                  flags.front().starts_with("--num-instances") && lever.more <= kToldApart;
         }) != nullptr;
}

// What comes before any order; `r` leaves instances idle.
std::string spreading_text(const ForecastReport& r) {
  const LeverResult* other = other_router(r);
  const std::string router =
      other != nullptr ? other->lever.flags.front().substr(kRouting.size() + 1) : "least-loaded";
  const std::string enough =
      other != nullptr && other->line.factor >= 1
          ? fmt::format("which handles {} of the forecast peak", percent(other->line.factor))
          : "and count the GPUs after that";
  return fmt::format("spread the requests over all instances ({} {}), {}", kRouting, router,
                     enough);
}

// What is short where requests wait too long.
Resource cause_of_delay(const ForecastReport& r) {
  Resource most = Resource::requests;
  double used = 0;
  for (const SheetRow& row : r.headroom.rows) {
    const bool is_load = row.resource == Resource::requests ||
                         row.resource == Resource::prompt_tokens ||
                         row.resource == Resource::output_tokens;
    if (!is_load || row.utilisation().value_or(0) <= used) continue;
    used = *row.utilisation();
    most = row.resource;
  }
  return most;
}

// The demand is handled without it, as simulated.
bool is_for_error_alone(const ForecastReport& r) {
  const auto& peak = r.headroom.forecast;
  return peak && peak->line.is_known && peak->held().low < 1 && !is_short(r);
}

// No number of GPUs tested handles the forecast at the slow end of the model's error.
bool nothing_covers_error(const ForecastReport& r) { return !r.runway && is_uncovered(r.headroom); }

// What the GPUs of an order are for, and how many of them for each; nothing for the demand alone.
std::string purpose_text(const ForecastReport& r, const GpuOrder& order) {
  const bool fits = is_for_error_alone(r);
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
  add(order.for_loss, "to survive the loss of " + order.survives);
  if (purposes.size() > 1) {
    const std::string last = counts.back();
    counts.pop_back();
    return ": " + join(counts, ", ") + " and " + last;
  }
  const bool is_plain = order.for_demand > 0 && !fits;
  if (!is_plain) return purposes.empty() ? "" : " " + purposes.front();
  return nothing_covers_error(r) ? ", which no test showed to cover the model's error" : "";
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
      order->for_loss > 0 ? std::string() : free_lever_text(r, is_for_error_alone(r));
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

// Then no number of its instances, and no routing among them, helps; longer requests are another
// matter, of the context window.
bool keeps_no_load(const ForecastReport& r) {
  const auto& peak = r.headroom.forecast;
  return peak && peak->line.is_known && peak->line.factor <= 0 &&
         r.headroom.binding != Resource::context_tokens && !r.headroom.interrupted;
}

}  // namespace

std::optional<GpuOrder> gpus_to_order(const ForecastReport& r) {
  GpuOrder order;
  const SheetRow* gpus = r.headroom.row_of(Resource::gpus);
  if (r.runway && !r.runway->gpu_plan.steps.empty() && !r.runway->too_short()) {
    const GpuPlan& plan = r.runway->gpu_plan;
    order.gpus = order.for_demand = plan.add_gpus;
    order.when = plan.order;
    order.usd_per_month = plan.add_usd_per_month;
    order.is_with_confidence = plan.covers_error();
    order.is_never_sure = !plan.covers_error();
  } else if (gpus != nullptr && gpus->forecast_p95 && !leaves_idle(r)) {
    const double there = r.gpus > 0 ? r.gpus : gpus->baseline_p95.value_or(*gpus->forecast_p95);
    order.for_demand = std::llround(*gpus->forecast_p95 - there);
    order.gpus = order.for_demand;
    if (const auto& covering = r.headroom.gpus_at_slow_end)
      order.gpus = std::max<std::int64_t>(order.gpus, std::llround(*covering - there));
    order.for_error = order.gpus - std::max<std::int64_t>(0, order.for_demand);
    if (r.usd_per_month > 0)
      order.usd_per_month = r.usd_per_month / r.gpus * static_cast<double>(order.gpus);
  }
  if (const LossPlan* loss = dearest_loss(r); loss != nullptr && loss->add_gpus > order.gpus) {
    order.for_loss = loss->add_gpus - std::max<std::int64_t>(0, order.gpus);
    order.gpus = loss->add_gpus;
    order.when = loss->order;
    order.usd_per_month = loss->add_usd_per_month;
    order.is_with_confidence = order.is_never_sure = false;
    order.survives = name_of(loss->loss);
    return order;
  }
  // Requests do not get shorter by more GPUs.
  const bool is_length = is_short(r) && r.headroom.binding == Resource::context_tokens;
  if (order.gpus <= 0 || (is_length && !order.when.by_s)) return std::nullopt;
  return order;
}

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
      if (leaves_idle(r)) return spreading_text(r);
      if (std::string free = free_lever_text(r, false); !free.empty()) return free;
      return remedy_text(r, cause_of_delay(r));
    default:
      break;
  }
  const SheetRow* row = r.headroom.row_of(resource);
  const bool is_limit = resource == Resource::requests && !r.deployment.empty() && row != nullptr &&
                        row->capacity_from == Provenance::given;
  const std::string title(facts_of(resource).title);
  const double missing = missing_share(r, resource);
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
  if (keeps_no_load(r)) {
    const auto& beyond = r.headroom.forecast->line.beyond;
    const std::string why = beyond ? reason_text(*beyond, r.request.slos) : std::string();
    return "Relax the limits, or serve on another GPU or layout: this deployment keeps them at no "
           "load" +
           (why.empty() ? "" : " (at the least that was tested: " + why + ")");
  }
  std::vector<Action> actions;
  if (leaves_idle(r)) actions.push_back({spreading_text(r), -INFINITY});
  if (auto gpus = order_of_gpus(r)) actions.push_back(std::move(*gpus));
  add_other_remedies(r, &actions);
  if (actions.empty() && is_short(r) && r.headroom.binding)
    actions.push_back({remedy_text(r, *r.headroom.binding)});
  if (actions.empty() && !leaves_idle(r) && nothing_covers_error(r)) {
    const std::string free = best_free_lever_text(r);
    actions.push_back(
        {(free.empty() ? "" : free + "; then ") +
         "relax the limits or measure the step times: no number of GPUs tested keeps the limits "
         "if real steps are as slow as the model's error allows"});
  }
  std::ranges::stable_sort(actions, {}, &Action::by_s);
  return capitalised(join(mapped(actions, [](const Action& action) { return action.text; }), "; "));
}

std::string tiny_text(const ForecastReport& r, const SheetRow* gpus) {
  constexpr double kTiny = 0.02;  // of one GPU
  const auto& peak = r.headroom.forecast;
  if (!peak || !peak->line.is_known || peak->line.factor <= 0) return {};
  if (gpus == nullptr || !gpus->forecast_p95) return {};
  const double share = *gpus->forecast_p95 / peak->line.factor;
  if (share >= kTiny) return {};
  return fmt::format("The peak takes {} of one GPU: buy an API", percent(share));
}

}  // namespace plimsoll
