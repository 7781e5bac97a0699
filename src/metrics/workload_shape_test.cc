#include "metrics/workload_shape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workload/synthetic.h"
#include "workload/workload.h"

namespace plimsoll {
namespace {

Workload arrivals_at(const std::vector<double>& at_s) {
  Workload w;
  for (const double s : at_s) {
    w.id.push_back(static_cast<std::int64_t>(w.id.size()));
    w.arrival.push_back({std::llround(s * 1e9)});
    w.input_tokens.push_back(100);
    w.output_tokens.push_back(10);
  }
  return w;
}

WorkloadShape shape_of_workload(const Workload& workload, const ShapeOptions& options = {}) {
  WorkloadSource source(workload);
  return shape_of(source, options);
}

TEST(WorkloadShape, are_rate_and_gaps_as_worked_out_by_hand) {
  // Gaps 1, 1, 4: mean 2, variance (1 + 1 + 4) / 2 = 3.
  const WorkloadShape shape = shape_of_workload(arrivals_at({0, 1, 2, 6}));
  EXPECT_EQ(shape.requests, 4);
  EXPECT_DOUBLE_EQ(shape.mean_rps, 3.0 / 6);
  EXPECT_DOUBLE_EQ(shape.last_arrival_s, 6);
  ASSERT_TRUE(shape.gap_cv);
  EXPECT_DOUBLE_EQ(*shape.gap_cv, std::sqrt(3) / 2);
  EXPECT_EQ(shape.bucket_s, 1);
  EXPECT_EQ(shape.requests_over_time, (std::vector<std::int64_t>{1, 1, 1, 0, 0, 0, 1}));
}

TEST(WorkloadShape, is_the_index_of_dispersion_variance_over_mean_of_whole_windows) {
  // Counts of the ten whole seconds: 3 0 0 0 0 1 0 0 0 0: mean 0.4, variance (9 + 1 - 1.6) / 9.
  const WorkloadShape shape = shape_of_workload(arrivals_at({0.1, 0.2, 0.3, 5.5, 10.5}));
  ASSERT_EQ(shape.windows.size(), 1u);  // two stretches of ten seconds do not fit
  EXPECT_EQ(shape.windows[0].width_s, 1);
  EXPECT_DOUBLE_EQ(shape.windows[0].peak_rps, 3);
  ASSERT_TRUE(shape.windows[0].dispersion);
  EXPECT_DOUBLE_EQ(*shape.windows[0].dispersion, 8.4 / 9 / 0.4);
}

TEST(WorkloadShape, does_poisson_traffic_look_like_it) {
  SyntheticSpec spec;
  spec.rate_rps = 20;
  spec.num_requests = 100'000;
  SyntheticSource source(spec);
  const WorkloadShape shape = shape_of(source, {});
  EXPECT_NEAR(shape.mean_rps, 20, 0.3);
  EXPECT_NEAR(shape.gap_cv.value(), 1, 0.02);
  ASSERT_EQ(shape.windows.size(), 3u);
  EXPECT_NEAR(shape.windows[0].dispersion.value(), 1, 0.08);  // 5000 windows: s.e. 0.02
  EXPECT_EQ(shape.requests_over_time.size(), 17u);
  EXPECT_EQ(shape.bucket_s, 300);
}

TEST(WorkloadShape, are_instant_and_single_requests_described) {
  const WorkloadShape instant = shape_of_workload(arrivals_at({0, 0, 0, 0}));
  EXPECT_EQ(instant.requests, 4);
  EXPECT_EQ(instant.mean_rps, 0);
  EXPECT_FALSE(instant.gap_cv);
  const WorkloadShape single = shape_of_workload(arrivals_at({3}));
  EXPECT_EQ(single.requests, 1);
  EXPECT_FALSE(single.gap_cv);
  EXPECT_EQ(shape_of_workload({}).requests, 0);
}

TEST(WorkloadShape, do_limits_end_it) {
  const Workload w = arrivals_at({0, 1, 2, 3, 4});
  ShapeOptions options;
  options.most_requests = 3;
  EXPECT_EQ(shape_of_workload(w, options).requests, 3);
  EXPECT_TRUE(shape_of_workload(w, options).cut);
  options.most_requests = 5;
  EXPECT_FALSE(shape_of_workload(w, options).cut);
  options.horizon = Time{} + seconds(1);
  EXPECT_EQ(shape_of_workload(w, options).requests, 2);
  EXPECT_FALSE(shape_of_workload(w, options).cut);
}

TEST(WorkloadShape, do_histogram_bins_hold_every_request_once) {
  for (const std::int64_t stdev : {0, 3, 100, 4000}) {
    SyntheticSpec spec;
    spec.num_requests = 3000;
    spec.prompt = {500, static_cast<double>(stdev), 1, 100'000};
    SyntheticSource source(spec);
    const LengthShape prompt = shape_of(source, {}).prompt;
    std::int64_t count = 0;
    std::int64_t above = prompt.min - 1;
    for (const HistogramBin& bin : prompt.histogram) {
      EXPECT_EQ(bin.low, count == 0 && above < prompt.min ? bin.low : above + 1);
      EXPECT_LE(bin.low, bin.high);
      above = bin.high;
      count += bin.count;
    }
    EXPECT_EQ(count, 3000);
    EXPECT_GE(prompt.histogram.back().high, prompt.max);
    EXPECT_LE(prompt.histogram.front().low, prompt.min);
    EXPECT_LE(prompt.histogram.size(), 14u);
  }
}

TEST(WorkloadShape, are_classes_tenants_and_clients_counted_apart) {
  Workload w = arrivals_at({0, 1, 2});
  w.slo_class = {SloClass::critical, SloClass::unset, SloClass::critical};
  w.labels.clients = {{"a", "", "m", "", false}, {"b", "", "m", "", false}};
  w.labels.tenants = {"x"};
  w.tags.resize(3);
  w.tags[0].client = 1;
  w.tags[1].client = 0;
  w.tags[2].client = 1;
  w.tags[2].tenant = 0;
  const WorkloadShape shape = shape_of_workload(w);
  ASSERT_EQ(shape.slo_classes.size(), 2u);
  EXPECT_EQ(shape.slo_classes[0].name, "critical");
  EXPECT_EQ(shape.slo_classes[0].requests, 2);
  EXPECT_EQ(shape.slo_classes[1].name, "");
  ASSERT_EQ(shape.clients.size(), 2u);
  EXPECT_EQ(shape.clients[0].name, "b");
  EXPECT_EQ(shape.clients[0].prompt_tokens, 200);
  ASSERT_EQ(shape.models.size(), 1u);
  EXPECT_EQ(shape.models[0].requests, 3);
  ASSERT_EQ(shape.tenants.size(), 2u);
}

TEST(WorkloadShape, are_sessions_open_from_first_to_last_round) {
  Workload w = arrivals_at({0, 1, 2, 3, 10});
  w.tags.resize(5);
  const int session[] = {0, 1, 0, 1, 2};  // open [0, 2], [1, 3] and at 10
  for (std::size_t i = 0; i < 5; ++i) w.tags[i].session = session[i];
  const auto sessions = shape_of_workload(w).sessions;
  ASSERT_TRUE(sessions);
  EXPECT_EQ(sessions->sessions, 3);
  EXPECT_EQ(sessions->most_rounds, 2);
  EXPECT_DOUBLE_EQ(sessions->mean_rounds, 5.0 / 3);
  EXPECT_EQ(sessions->most_open, 2);
  EXPECT_DOUBLE_EQ(sessions->mean_open, 0.4);
}

// One user asks, waits for the answer, thinks for a second, asks again.
class OneUser final : public RequestSource {
 public:
  bool next(Request* request) override {
    if (started_) return false;
    started_ = true;
    *request = make({});
    return true;
  }
  bool reacts() const override { return true; }
  bool follow_up(const Departure& departure, Request* request) override {
    *request = make(departure.at + seconds(1));
    return made_ <= 4;
  }

 private:
  Request make(Time arrival) {
    Request request;
    request.arrival = arrival;
    request.input_tokens = 10;
    request.output_tokens = 50;
    request.awaited = true;
    made_ += 1;
    return request;
  }
  bool started_ = false;
  int made_ = 0;
};

TEST(WorkloadShape, do_closed_loops_wait_for_their_answers) {
  OneUser user;
  const WorkloadShape shape = shape_of(user, {});  // an answer takes 50 * 20 ms
  EXPECT_EQ(shape.requests, 4);
  EXPECT_DOUBLE_EQ(shape.last_arrival_s, 6);
  EXPECT_DOUBLE_EQ(shape.gap_cv.value(), 0);
}

}  // namespace
}  // namespace plimsoll
