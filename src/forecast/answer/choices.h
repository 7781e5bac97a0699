// What to do about a forecast, as data: how many GPUs to order and what for, which lever costs
// nothing and is enough, which router to try. All of it is meant for the same risk (kAcceptedRisk).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "forecast/answer/forecast_answer.h"

namespace plimsoll {

/// The order of GPUs for all that more instances carry more of: for the demand ahead, and for what
/// takes more than that.
struct GpuOrder {
  std::int64_t gpus = 0;  ///< all of them
  std::int64_t for_demand = 0;
  std::int64_t for_error = 0;  ///< more, to cover the model's error; with a history in the others
  std::int64_t for_loss = 0;   ///< more, to survive it
  Order when;
  std::optional<double> usd_per_month;
  bool is_with_confidence = false;  ///< enough for kAcceptedRisk
  bool is_never_sure = false;       ///< no number is enough where the model errs to its harm
  std::optional<Loss> survives;     ///< none: nothing is for a loss
};
/// None where nothing is missing that GPUs help with.
std::optional<GpuOrder> gpus_to_order(const ForecastAnswer& answer);
/// What an order makes of the bill, where that is beyond the budget.
std::optional<double> bill_beyond_budget(const ForecastAnswer& answer, const GpuOrder& order);

inline constexpr std::string_view kRoutingFlag = "--routing-policy";
/// Of the other routers that were tried, the one that holds most; null: each holds less than now.
const LeverResult* other_router(const ForecastAnswer& answer);

/// How surely a lever is enough for the forecast; with a history until a date, by the risk of every
/// order.
enum class Enough : std::int8_t {
  no,
  yes,
  perhaps,       ///< its gain is uncertain
  as_simulated,  ///< but not at the slow end of the model's error
  until          ///< a date
};

struct FreeLever {
  const LeverResult* lever = nullptr;  ///< null: none is enough
  Enough enough = Enough::no;
  double until_s = 0;
};
/// Of the levers that cost nothing and are enough, the one that holds most. `covers_error`: at the
/// slow end of the model's error, too.
FreeLever enough_for_free(const ForecastAnswer& answer, bool covers_error);
/// The free lever that holds most, whether or not that is enough; null: there is none.
const LeverResult* best_free_lever(const ForecastAnswer& answer);

/// The share of one GPU that the peak takes, where even that leaves it nearly idle.
std::optional<double> share_of_idle_gpu(const ForecastAnswer& answer);

}  // namespace plimsoll
