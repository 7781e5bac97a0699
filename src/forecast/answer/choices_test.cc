// What is to be ordered, and which lever comes before an order?
#include "forecast/answer/choices.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Of 8 GPUs the forecast takes `needed`.
ForecastAnswer takes(double needed) {
  ForecastAnswer answer;
  answer.gpus = 8;
  answer.usd_per_month = 16'000;
  SheetRow& row = answer.headroom.rows.emplace_back();
  row.resource = Resource::gpus;
  row.forecast_p95 = needed;
  return answer;
}

// Holds this share of the forecast for no more than today.
LeverResult free_lever(const std::string& name, double factor) {
  LeverResult lever;
  lever.lever.name = name;
  lever.line.factor = factor;
  lever.more = 0.5;
  lever.usd_per_month = 0;
  return lever;
}

TEST(GpuOrder, is_what_the_forecast_takes_beyond_what_is_deployed) {
  EXPECT_FALSE(gpus_to_order(takes(8)));
  const auto order = gpus_to_order(takes(11));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->gpus, 3);
  EXPECT_EQ(order->for_demand, 3);
  EXPECT_DOUBLE_EQ(*order->usd_per_month, 6000);
}

TEST(GpuOrder, covers_the_models_error_with_more) {
  ForecastAnswer answer = takes(9);
  answer.headroom.gpus_at_slow_end = 12;
  const auto order = gpus_to_order(answer);
  EXPECT_EQ(order->gpus, 4);
  EXPECT_EQ(order->for_demand, 1);
  EXPECT_EQ(order->for_error, 3);
}

TEST(GpuOrder, is_for_the_loss_that_takes_more_than_the_demand) {
  ForecastAnswer answer = takes(9);
  answer.losses.resize(2);
  answer.losses[0].add_gpus = 2;
  answer.losses[1].loss = {LossKind::zones, 3};
  answer.losses[1].add_gpus = 5;
  const auto order = gpus_to_order(answer);
  EXPECT_EQ(order->gpus, 5);
  EXPECT_EQ(order->for_loss, 4);
  EXPECT_EQ(order->survives->kind, LossKind::zones);
}

TEST(GpuOrder, has_a_bill_beyond_a_budget_only_where_there_is_one) {
  ForecastAnswer answer = takes(9);
  GpuOrder order;
  order.gpus = 3;
  EXPECT_FALSE(bill_beyond_budget(answer, order));
  SheetRow& budget = answer.headroom.rows.emplace_back();
  budget.resource = Resource::budget;
  budget.forecast_p95 = 18'000;
  budget.capacity = 22'000;
  EXPECT_FALSE(bill_beyond_budget(answer, order));  // of 11 GPUs instead of 9
  budget.capacity = 21'000;
  EXPECT_DOUBLE_EQ(bill_beyond_budget(answer, order).value_or(0), 22'000);
}

TEST(FreeLevers, are_chosen_by_what_they_hold) {
  ForecastAnswer answer = takes(9);
  answer.levers = {free_lever("a", 0.8), free_lever("b", 1.2), free_lever("c", 1.1)};
  EXPECT_EQ(best_free_lever(answer)->lever.name, "b");
  EXPECT_EQ(enough_for_free(answer, true).lever->lever.name, "b");
  answer.levers[1].usd_per_month = 1;
  EXPECT_EQ(best_free_lever(answer)->lever.name, "c");
  EXPECT_EQ(enough_for_free(answer, false).enough, Enough::yes);
}

TEST(FreeLevers, have_to_be_enough_at_the_slow_end_where_that_is_asked) {
  ForecastAnswer answer = takes(9);
  answer.levers = {free_lever("a", 1.1)};
  answer.levers[0].held_within = Interval{0.95, 1.2};
  EXPECT_EQ(enough_for_free(answer, true).lever, nullptr);
  EXPECT_EQ(enough_for_free(answer, false).enough, Enough::as_simulated);
  answer.levers[0].more_interval = Interval{-0.1, 0.6};
  EXPECT_EQ(enough_for_free(answer, false).enough, Enough::perhaps);
}

TEST(IdleGpu, is_one_of_which_the_peak_takes_next_to_nothing) {
  ForecastAnswer answer = takes(1);
  answer.headroom.forecast.emplace();
  answer.headroom.forecast->line.factor = 40;
  answer.headroom.forecast->line.is_known = true;
  EXPECT_FALSE(share_of_idle_gpu(answer));
  answer.headroom.forecast->line.factor = 100;
  EXPECT_DOUBLE_EQ(share_of_idle_gpu(answer).value_or(0), 0.01);
}

}  // namespace
}  // namespace plimsoll
