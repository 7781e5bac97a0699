#include "forecast/answer/choices.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

// Of the demand and the model's error, without a loss.
GpuOrder without_loss(const ForecastAnswer& a) {
  GpuOrder order;
  const SheetRow* gpus = a.headroom.row_of(Resource::gpus);
  if (a.runway && !a.runway->gpu_plan.steps.empty() && !a.runway->too_short()) {
    const GpuPlan& plan = a.runway->gpu_plan;
    order.gpus = order.for_demand = plan.add_gpus;
    order.when = plan.order;
    order.usd_per_month = plan.add_usd_per_month;
    order.is_with_confidence = plan.covers_error();
    order.is_never_sure = !plan.covers_error();
  } else if (gpus != nullptr && gpus->forecast_p95 && !a.leaves_idle()) {
    const double there = a.gpus > 0 ? a.gpus : gpus->baseline_p95.value_or(*gpus->forecast_p95);
    order.for_demand = std::llround(*gpus->forecast_p95 - there);
    order.gpus = order.for_demand;
    if (const auto& covering = a.headroom.gpus_at_slow_end)
      order.gpus = std::max<std::int64_t>(order.gpus, std::llround(*covering - there));
    order.for_error = order.gpus - std::max<std::int64_t>(0, order.for_demand);
    if (a.usd_per_month > 0) order.usd_per_month = a.usd_of(static_cast<double>(order.gpus));
  }
  return order;
}

// A lever that is hardly later than nothing is no help.
FreeLever how_enough(const ForecastAnswer& a, const LeverResult& lever, bool covers_error) {
  constexpr double kWorthwhileS = 7 * kDayS;
  if (lever.line.factor < 1) return {};
  if (!a.runway) {
    if (a.least_with(lever) >= 1) return {&lever, Enough::yes};
    if (covers_error) return {};
    return {&lever, lever.is_uncertain() ? Enough::perhaps : Enough::as_simulated};
  }
  if (!lever.runway.known) return {};
  const auto until = lever.runway.time_at(kAcceptedRisk);
  if (!until) return {&lever, Enough::yes};
  const auto now = a.runway->gpu_plan.runway.time_at(kAcceptedRisk);
  if (!now || *until - *now < kWorthwhileS) return {};
  return {&lever, Enough::until, *until};
}

}  // namespace

std::optional<GpuOrder> gpus_to_order(const ForecastAnswer& a) {
  GpuOrder order = without_loss(a);
  if (const ScenarioRow* hour = a.headroom.hardest_hour()) {
    const auto needed = at(hour->demand, Resource::gpus);
    const std::int64_t more = needed ? std::llround(*needed - a.gpus) : 0;
    if (more > order.gpus) {
      order.gpus = order.for_demand = more;
      if (a.usd_per_month > 0) order.usd_per_month = a.usd_of(static_cast<double>(more));
      order.is_with_confidence = order.is_never_sure = false;
    }
  }
  if (const LossPlan* loss = a.dearest_loss(); loss != nullptr && loss->add_gpus > order.gpus) {
    order.for_loss = loss->add_gpus - std::max<std::int64_t>(0, order.gpus);
    order.gpus = loss->add_gpus;
    order.when = loss->order;
    order.usd_per_month = loss->add_usd_per_month;
    order.is_with_confidence = order.is_never_sure = false;
    order.survives = loss->loss;
    return order;
  }
  // Requests do not get shorter by more GPUs.
  const bool is_length = a.is_short() && a.headroom.binding == Resource::context_tokens;
  if (order.gpus <= 0 || (is_length && !order.when.by_s)) return std::nullopt;
  return order;
}

// The sheet's bill has no GPUs that stand by for a loss or for the risk.
std::optional<double> bill_beyond_budget(const ForecastAnswer& a, const GpuOrder& order) {
  const SheetRow* gpus = a.headroom.row_of(Resource::gpus);
  if (gpus == nullptr || !gpus->forecast_p95 || a.usd_per_month <= 0) return std::nullopt;
  const double more = a.gpus + static_cast<double>(order.gpus) - *gpus->forecast_p95;
  return a.bill_beyond_budget(a.usd_of(more));
}

const LeverResult* other_router(const ForecastAnswer& a) {
  const LeverResult* best = nullptr;
  for (const LeverResult& lever : a.levers) {
    const auto& flags = lever.lever.flags;
    if (flags.size() != 1 || !flags.front().starts_with(kRoutingFlag) || lever.more < -kToldApart)
      continue;
    if (best == nullptr || lever.line.factor > best->line.factor) best = &lever;
  }
  return best;
}

const LeverResult* best_free_lever(const ForecastAnswer& a) {
  const LeverResult* best = nullptr;
  for (const LeverResult& lever : a.levers) {
    if (lever.is_free_change() && (best == nullptr || lever.line.factor > best->line.factor))
      best = &lever;
  }
  return best;
}

FreeLever enough_for_free(const ForecastAnswer& a, bool covers_error) {
  FreeLever best;
  for (const LeverResult& lever : a.levers) {
    if (!lever.is_free_change()) continue;
    if (best.lever != nullptr && lever.line.factor <= best.lever->line.factor) continue;
    if (const FreeLever found = how_enough(a, lever, covers_error); found.lever != nullptr)
      best = found;
  }
  return best;
}

std::optional<double> share_of_idle_gpu(const ForecastAnswer& a) {
  constexpr double kTiny = 0.02;
  const auto& peak = a.headroom.forecast;
  const SheetRow* gpus = a.headroom.row_of(Resource::gpus);
  if (!peak || !peak->line.is_known || peak->line.factor <= 0) return std::nullopt;
  if (gpus == nullptr || !gpus->forecast_p95) return std::nullopt;
  const double share = *gpus->forecast_p95 / peak->line.factor;
  return share < kTiny ? std::optional(share) : std::nullopt;
}

}  // namespace plimsoll
