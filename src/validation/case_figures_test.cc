#include "validation/case_simulation.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Completed requests, one a second, of 11 tokens; E2E is TTFT and a second.
RequestTable served(const std::vector<double>& ttft_ms) {
  RequestTable rows;
  for (std::size_t i = 0; i < ttft_ms.size(); ++i) {
    Request request;
    request.arrival = Time{} + seconds(static_cast<std::int64_t>(i));
    rows.add(request);
    rows.outcome[i] = Outcome::completed;
    rows.generated_tokens[i] = 11;
    rows.ttft[i] = duration_from_us(ttft_ms[i] * 1000);
    rows.e2e[i] = rows.ttft[i] + seconds(1);
  }
  return rows;
}

TEST(CaseFigures, are_means_and_interpolated_percentiles_of_completed_requests) {
  RequestTable rows = served({10, 20, 30, 40});
  rows.outcome[3] = Outcome::timed_out;
  CaseFigures figures;
  add_figures(rows, 0, rows.size(), "", &figures);
  EXPECT_DOUBLE_EQ(figures["ttft_ms.mean"], 20);
  EXPECT_DOUBLE_EQ(figures["ttft_ms.p50"], 20);
  EXPECT_DOUBLE_EQ(figures["ttft_ms.p90"], 28);
  EXPECT_DOUBLE_EQ(figures["tpot_ms.mean"], 100);
  EXPECT_DOUBLE_EQ(figures["e2e_ms.p99"], 1029.8);
  EXPECT_EQ(figures["completed"], 3);
  EXPECT_EQ(figures["failed"], 1);
  EXPECT_DOUBLE_EQ(figures["duration_s"], 3.03);  // from the first arrival to the last completion
  EXPECT_DOUBLE_EQ(figures["output_tokens_per_s"], 33 / 3.03);
}

TEST(CaseFigures, of_a_window_count_what_completes_in_it) {
  const RequestTable rows = served({0, 0, 0, 0});  // they end after 1, 2, 3, 4 s
  CaseFigures figures;
  add_window(rows, {2, 4}, &figures);
  EXPECT_EQ(figures["window.completed"], 2);
  EXPECT_DOUBLE_EQ(figures["window.output_tokens_per_s"], 11);
}

TEST(CaseFigures, call_a_growing_wait_saturated) {
  std::vector<double> growing;
  std::vector<double> steady;
  for (int i = 0; i < 100; ++i) {
    growing.push_back(100 + 20 * i);
    steady.push_back(1500);  // slow, but not growing
  }
  EXPECT_TRUE(is_saturated(served(growing), 0, 100));
  EXPECT_FALSE(is_saturated(served(steady), 0, 100));
  RequestTable failing = served(steady);
  for (std::size_t i = 0; i < 6; ++i) failing.outcome[10 * i] = Outcome::timed_out;
  EXPECT_TRUE(is_saturated(failing, 0, 100));
  // Too few to grow, enough to fail.
  EXPECT_TRUE(is_saturated(failing, 0, 4));
  EXPECT_FALSE(is_saturated(failing, 1, 4));
}

}  // namespace
}  // namespace plimsoll
