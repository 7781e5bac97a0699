#include "setup/load_maker.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

/// A specification in a file of its own for as long as it lives.
class SpecFileOf {
 public:
  explicit SpecFileOf(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("load_maker_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
               ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~SpecFileOf() { std::filesystem::remove(path_); }

  RunSpec run() const {
    RunSpec run;
    run.traffic.workload_spec = path_.string();
    return run;
  }

 private:
  std::filesystem::path path_;
};

constexpr const char* kLengths =
    "    input_distribution: {type: constant, params: {value: 100}}\n"
    "    output_distribution: {type: constant, params: {value: 10}}\n";

// `count`: of a run of it.
std::string endless(const std::string& count = "num_requests: 300\n") {
  return "version: \"2\"\naggregate_rate: 5\n" + count + "clients:\n" +
         "  - id: a\n    rate_fraction: 1\n    arrival: {process: poisson}\n" + kLengths;
}

// 40 requests in ten seconds on average, then 5 in ten.
std::string one_day() {
  return std::string("version: \"2\"\nclients:\n  - id: a\n    arrival: {process: constant}\n") +
         kLengths +
         "    lifecycle:\n      windows:\n"
         "        - {start_us: 0, end_us: 10000000, trace_rate: 4}\n"
         "        - {start_us: 10000000, end_us: 20000000, trace_rate: 0.5}\n";
}

std::int64_t waiting_at_once(const LoadMaker& maker, double load) {
  auto made = maker(load, 1'000);
  EXPECT_TRUE(made.has_value() && made->source->reacts());
  std::int64_t n = 0;  // nobody answers
  for (Request request; made && made->source->next(&request);) ++n;
  return n;
}

std::int64_t count(const LoadMaker& maker, double rate_rps, std::int64_t requests) {
  auto load = maker(rate_rps, requests);
  EXPECT_TRUE(load.has_value());
  std::int64_t n = 0;
  for (Request request; load && load->source->next(&request);) ++n;
  return n;
}

TEST(ScalableTraffic, of_a_specification_without_an_end_has_as_many_requests_as_are_asked_for) {
  for (const char* of_a_run : {"num_requests: 300\n", ""}) {
    const SpecFileOf file(endless(of_a_run));
    const auto traffic = scalable_traffic(file.run(), "a model");
    ASSERT_TRUE(traffic.has_value());
    EXPECT_EQ(traffic->whole_requests, 0);
    EXPECT_EQ(count(traffic->load, 7, 1'000), 1'000);
    ASSERT_EQ(traffic->other_loads.size(), 2);
    EXPECT_EQ(count(traffic->other_loads[1], 7, 500), 500);
  }
}

std::string conversations() {
  return std::string("version: \"2\"\naggregate_rate: 1\nnum_requests: 2000\nclients:\n") +
         "  - id: a\n    rate_fraction: 1\n    arrival: {process: poisson}\n" + kLengths +
         "    closed_loop: false\n    reasoning:\n"
         "      reason_ratio_distribution: {type: constant, params: {value: 0}}\n"
         "      multi_turn: {max_rounds: 5, think_time_us: 20000000, context_growth: accumulate}\n";
}

TEST(ScalableTraffic, of_conversations_that_end_says_that_their_pauses_change) {
  const SpecFileOf file(conversations() + "horizon: 600000000\n");
  const auto traffic = scalable_traffic(file.run(), "a model");
  ASSERT_TRUE(traffic.has_value());
  ASSERT_EQ(traffic->notes.size(), 1);
  EXPECT_NE(traffic->notes[0].find("pauses within its conversations"), std::string::npos);
}

// More of them begin, and their rounds come no sooner.
TEST(ScalableTraffic, of_conversations_has_the_rate_asked_for_once_all_rounds_are_under_way) {
  const SpecFileOf file(conversations());
  const auto traffic = scalable_traffic(file.run(), "a model");
  ASSERT_TRUE(traffic.has_value());
  EXPECT_NEAR(traffic->natural_rps, 5, 0.5);
  auto load = traffic->load(50, 20'000);
  ASSERT_TRUE(load.has_value());
  std::vector<Time> arrivals;
  std::map<std::int32_t, Time> last;
  for (Request r; load->source->next(&r);) {
    arrivals.push_back(r.arrival);
    if (r.tags.round > 0) {
      ASSERT_GE(r.arrival - last.at(r.tags.session), seconds(20));
    }
    last[r.tags.session] = r.arrival;
  }
  ASSERT_EQ(arrivals.size(), 20'000u);
  const double later_s = to_seconds(arrivals.back() - arrivals[10'000]);
  EXPECT_NEAR(10'000 / later_s, 50, 2);
}

// Twenty rounds that take 400 s: 200 requests are their beginning alone, 40,000 ten times as much.
TEST(ScalableTraffic, of_conversations_begins_as_many_however_few_requests_are_looked_at) {
  const SpecFileOf file(endless("") +
                        "    closed_loop: false\n    reasoning:\n      multi_turn: "
                        "{max_rounds: 20, think_time_us: 20000000}\n");
  const auto traffic = scalable_traffic(file.run(), "");
  ASSERT_TRUE(traffic);
  for (const std::int64_t requests : {200, 2'000, 40'000}) {
    auto load = traffic->load(2, requests);
    ASSERT_TRUE(load);
    double begun = 0;
    Request request;
    while (load->source->next(&request)) begun += request.tags.round == 0 ? 1 : 0;
    const double begun_per_s = begun / to_seconds(request.arrival - Time{});
    EXPECT_NEAR(begun_per_s, 2.0 / 20, 0.02) << requests;
  }
}

TEST(ScalableTraffic, has_all_requests_that_somebody_asked_for_and_no_more) {
  const SpecFileOf file(endless());
  RunSpec run = file.run();
  run.traffic.num_requests = 400;
  const auto traffic = scalable_traffic(run, "a model");
  ASSERT_TRUE(traffic.has_value());
  EXPECT_EQ(traffic->whole_requests, 400);
  EXPECT_EQ(count(traffic->load, 7, 1'000), 400);
}

TEST(ScalableTraffic, has_the_limits_that_are_stated_of_classes_that_it_has) {
  const std::string targets =
      "goodput_slo_targets:\n  critical: {ttft_ms: 300, itl_ms: 40}\n  batch: {e2e_ms: 9000}\n";
  const SpecFileOf file(endless() + "    slo_class: critical\n" + targets);
  const auto traffic = scalable_traffic(file.run(), "a model");
  ASSERT_TRUE(traffic.has_value()) << format(traffic.error());
  std::vector<std::string> texts;
  for (const Slo& slo : traffic->stated_limits) texts.push_back(text_of(slo));
  EXPECT_EQ(texts, (std::vector<std::string>{"critical:ttft_p99<300ms", "critical:tpot_p99<40ms"}));
  std::vector<std::string> notes;
  EXPECT_EQ(limits_of(*traffic, {}, &notes).size(), 2);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(limits_of(*traffic, *parse_slos("--slo", "e2e_p50<1s"), &notes).size(), 1);
  EXPECT_EQ(notes.size(), 1);
}

TEST(ScalableTraffic, of_a_day_is_all_of_it_with_many_seeds) {
  const SpecFileOf file(one_day());
  const auto traffic = scalable_traffic(file.run(), "a model");
  ASSERT_TRUE(traffic.has_value());
  EXPECT_EQ(traffic->whole_requests, count(traffic->load, 2, 1'000));
  EXPECT_EQ(traffic->whole_requests, count(traffic->load, 9, 1'000));
  EXPECT_NEAR(static_cast<double>(traffic->whole_requests), 45, 2);
  EXPECT_NEAR(traffic->finite.own_rps, 45.0 / 20, 0.3);
  EXPECT_NEAR(traffic->finite.busiest_tenth, 8.0 / 45 * 10, 0.1);
  EXPECT_EQ(traffic->other_loads.size(), 19);
}

TEST(ScalableTraffic, says_what_is_left_out_of_prompts_with_images) {
  const std::string media =
      "    multimodal:\n"
      "      text_distribution: {type: constant, params: {value: 100}}\n"
      "      image_distribution: {type: constant, params: {value: 576}}\n"
      "      image_count_distribution: {type: constant, params: {value: 1}}\n"
      "    output_distribution: {type: constant, params: {value: 10}}\n";
  std::string text = endless();
  text.replace(text.find(kLengths), std::string(kLengths).size(), media);
  const SpecFileOf file(text);
  const auto traffic = scalable_traffic(file.run(), "m");
  ASSERT_TRUE(traffic) << format(traffic.error());
  ASSERT_EQ(traffic->notes.size(), 1u);
  EXPECT_NE(traffic->notes[0].find("lower bounds; whether m takes them"), std::string::npos);
  const SpecFileOf plain(endless());
  EXPECT_TRUE(scalable_traffic(plain.run(), "m")->notes.empty());
}

TEST(ScalableTraffic, counts_users_who_wait) {
  RunSpec run;
  run.traffic.concurrency = 50;
  run.traffic.think_time_ms = 2'000;
  auto traffic = scalable_traffic(run, "m");
  ASSERT_TRUE(traffic.has_value());
  EXPECT_EQ(traffic->users.asked, 50);
  EXPECT_DOUBLE_EQ(traffic->users.think_s, 2);
  EXPECT_EQ(traffic->other_loads.size(), 2);
  EXPECT_EQ(waiting_at_once(traffic->load, 30), 30);
  const LoadUnit unit{.round_s = 4};
  count_in(unit, &*traffic);
  EXPECT_EQ(waiting_at_once(traffic->load, 10), 40);
  EXPECT_EQ(waiting_at_once(traffic->other_loads[1], 10.1), 40);
  EXPECT_EQ(waiting_at_once(traffic->load, 0.001), 1);
}

TEST(ScalableTraffic, begins_more_conversations_whose_rounds_wait_for_answers) {
  const std::string talks =
      std::string("version: \"2\"\naggregate_rate: 2\nnum_requests: 400\n") +
      "clients:\n  - id: a\n    rate_fraction: 1\n" + "    arrival: {process: constant}\n" +
      kLengths + "    reasoning:\n" +
      "      reason_ratio_distribution: {type: constant, params: {value: 0}}\n" +
      "      multi_turn: {max_rounds: 5, think_time_us: 1000000}\n";
  const SpecFileOf file(talks);
  auto traffic = scalable_traffic(file.run(), "m");
  ASSERT_TRUE(traffic.has_value());
  EXPECT_EQ(traffic->users.asked, 0);
  EXPECT_NEAR(traffic->natural_rps, 10, 0.1);  // five rounds of two conversations a second
  auto load = traffic->load(20, 400);          // four conversations a second
  ASSERT_TRUE(load.has_value());
  Request request;
  for (int i = 0; i < 41; ++i) ASSERT_TRUE(load->source->next(&request));
  EXPECT_NEAR(to_seconds(request.arrival), 10, 0.5);
}

TEST(ScalableTraffic, has_no_rate_for_users_of_a_specification) {
  const SpecFileOf file(std::string("version: \"2\"\nnum_requests: 400\nclients:\n  - id: a\n") +
                        "    concurrency: 4\n" + kLengths);
  const auto traffic = scalable_traffic(file.run(), "m");
  ASSERT_FALSE(traffic.has_value());
  EXPECT_NE(traffic.error().diagnostics[0].message.find("no rate to set"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
