// Is the sheet right: for the table of a launch review, whose every cell is known, and for a
// deployment whose limits are known by queueing theory?
#include "forecast/headroom/headroom.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/headroom/figures.h"
#include "forecast/headroom/situation.h"
#include "known_served.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

constexpr const char* kLaunchWeek = R"(routes:
  assistant:
    requests_per_s: {baseline: 100, forecast: 300}
    prompt_tokens: {baseline: 3600, forecast: 4800}
    cached_share: 0.5
    output_tokens: {baseline: 60, forecast: 65}
resources:
  requests_per_s: {capacity: 400}
  prompt_tokens_per_s: {capacity: 650000, owner: inference team}
  output_tokens_per_s: {capacity: 22000}
  active_kv_tokens: {baseline: 90000, forecast: 310000, capacity: 240000}
scenarios:
  cache miss: {set: {cached_share: 0}}
  half the limits: {capacity: {requests_per_s: 0.5}}
)";

HeadroomSheet sheet_of(const ForecastRequest& request, const std::optional<Served>& served = {}) {
  auto headroom = find_headroom(request, served, Execution{});
  EXPECT_TRUE(headroom);
  return headroom ? *headroom : HeadroomSheet{};
}

const SheetRow& row(const HeadroomSheet& headroom, Resource resource) {
  return *std::ranges::find(headroom.rows, resource, &SheetRow::resource);
}

TEST(Headroom, is_each_cell_of_the_launch_table_as_it_is_known) {
  const HeadroomSheet sheet = sheet_of(*parse_forecast_request(kLaunchWeek, "f.yaml"));
  struct Known {
    Resource resource;
    double baseline, forecast, capacity;
    Risk risk;
  };
  for (const Known& known :
       {Known{Resource::requests, 100, 300, 400, Risk::ok},
        Known{Resource::prompt_tokens, 180e3, 720e3, 650e3, Risk::shortfall},
        Known{Resource::output_tokens, 6e3, 19.5e3, 22e3, Risk::tight},
        Known{Resource::active_kv_tokens, 90e3, 310e3, 240e3, Risk::memory_risk}}) {
    const SheetRow& found = row(sheet, known.resource);
    EXPECT_DOUBLE_EQ(*found.baseline_p95, known.baseline);
    EXPECT_DOUBLE_EQ(*found.forecast_p95, known.forecast);
    EXPECT_DOUBLE_EQ(*found.capacity, known.capacity);
    EXPECT_DOUBLE_EQ(*found.headroom(), known.capacity - known.forecast);
    EXPECT_EQ(*found.risk(), known.risk);
  }
  EXPECT_EQ(sheet.binding, Resource::active_kv_tokens);
  EXPECT_EQ(row(sheet, Resource::prompt_tokens).owner, "inference team");
}

TEST(Headroom, is_what_a_scenario_moves_computed) {
  const HeadroomSheet sheet = sheet_of(*parse_forecast_request(kLaunchWeek, "f.yaml"));
  const ScenarioRow& miss = sheet.scenarios[0];
  EXPECT_DOUBLE_EQ(*at(miss.demand, Resource::prompt_tokens), 1'440'000);
  EXPECT_EQ(miss.worse, std::vector{Resource::prompt_tokens});
  EXPECT_TRUE(miss.better.empty());
  EXPECT_EQ(miss.binding, Resource::prompt_tokens);
  EXPECT_EQ(miss.owner, "inference team");
  const ScenarioRow& cut = sheet.scenarios[1];
  EXPECT_EQ(cut.worse, std::vector{Resource::requests});
  EXPECT_DOUBLE_EQ(*at(cut.capacity, Resource::requests), 200);
  EXPECT_EQ(cut.binding, Resource::requests);
}

TEST(Headroom, is_what_nobody_asks_for_any_more_relieved) {
  const HeadroomSheet sheet = sheet_of(*parse_forecast_request(R"(routes:
  api: {requests_per_s: 10, prompt_tokens: 100, output_tokens: 10, served_by: provider}
  own: {requests_per_s: 10, prompt_tokens: 100, output_tokens: 10}
resources: {requests_per_s: {capacity: 40}, provider_requests_per_min: {capacity: 1000}}
scenarios:
  outage: {routes: [api], shift: {to: own, share: 1}}
)",
                                                               "f.yaml"));
  EXPECT_EQ(sheet.scenarios[0].better, std::vector{Resource::provider_requests});
  EXPECT_EQ(sheet.scenarios[0].worse, std::vector{Resource::requests});
}

// Poisson arrivals split in turns are Erlang-2 at each instance; lengths are lognormal with cv 0.5.
constexpr const char* kKnown = R"(routes:
  only: {requests_per_s: {baseline: 80, forecast: 120}, prompt_tokens: 10000, output_tokens: 1}
scenarios:
  one lost: {instances: -1}
  twice: {times: {requests_per_s: 2}}
)";

// Prompts of 50,000 tokens where a request may have 40,960: more than half can never be served.
TEST(Headroom, are_requests_that_do_not_fit_a_row_of_their_own) {
  SLOW_SANITIZED();
  const ForecastRequest request = *parse_forecast_request(R"(routes:
  long: {requests_per_s: 0.1, prompt_tokens: 50000, output_tokens: 1}
scenarios: {a tenth: {times: {prompt_tokens: 0.1}}}
)",
                                                          "f.yaml");
  Served served = test::known_served();
  served.system.deployment.main().engine.max_model_len = 40'960;
  const HeadroomSheet sheet = sheet_of(request, served);
  const SheetRow& context = row(sheet, Resource::context_tokens);
  EXPECT_EQ(context.capacity, 40'960);
  EXPECT_GT(*context.forecast_p95, 90'000);
  EXPECT_EQ(context.risk(), Risk::shortfall);
  EXPECT_FALSE(context.forecast_band);
  EXPECT_EQ(sheet.binding, Resource::context_tokens);
  EXPECT_EQ(sheet.forecast->probe.answer, Answer::fails);
  const GroupSummary& all = sheet.forecast->probe.summary.cluster;
  ASSERT_EQ(sheet.too_long.size(), 1U);
  EXPECT_NEAR(1 - sheet.too_long[0].share,
              static_cast<double>(all.dropped_unservable) / static_cast<double>(all.injected),
              1e-9);
  EXPECT_EQ(row(sheet, Resource::prompt_tokens).capacity, 0);  // as of all that is none of it
  EXPECT_EQ(sheet.scenarios[0].risk, Risk::ok);
  EXPECT_FALSE(is_tight(sheet));
}

// A fixed share that is sent once more comes to the deployment like so many more requests.
TEST(Headroom, are_fixed_retries_simulated) {
  SLOW_SANITIZED();
  const HeadroomSheet sheet = sheet_of(*parse_forecast_request(R"(routes:
  only: {requests_per_s: 100, prompt_tokens: 10000, output_tokens: 1}
scenarios:
  retries: {retry: {fixed: 0.15}}
  times: {times: {requests_per_s: 1.15}}
)",
                                                               "f.yaml"),
                                       test::known_served());
  EXPECT_DOUBLE_EQ(sheet.scenarios[0].peak->probe.rate_rps, 115);
  EXPECT_EQ(sheet.scenarios[0].capacity, sheet.scenarios[1].capacity);
  EXPECT_EQ(sheet.scenarios[0].demand, sheet.scenarios[1].demand);
}

TEST(Headroom, are_lines_where_the_queue_says) {
  SLOW_SANITIZED();
  const ForecastRequest request = *parse_forecast_request(kKnown, "f.yaml");
  const HeadroomSheet sheet = sheet_of(request, test::known_served());
  const double line = *row(sheet, Resource::requests).capacity;
  // Kingman's formula for a mean of 30 ms with cv^2 of 1/2 and 1/4: 0.375 rho / (1 - rho) x 10 ms
  // is 20 ms at rho 0.842, of 200 requests/s; it is an upper bound of the wait, so the line is
  // somewhat higher.
  EXPECT_GT(line, 165);
  EXPECT_LT(line, 182);
  // Rate and prompts load this server alike.
  EXPECT_EQ(sheet.forecast->probe.answer, Answer::holds);
  EXPECT_NEAR(sheet.forecast->line.factor * 120, line, 0.05 * line);
  EXPECT_EQ(sheet.scenarios[0].peak->probe.answer, Answer::fails);
  EXPECT_NEAR(sheet.scenarios[1].peak->line.factor, sheet.forecast->line.factor / 2, 0.06);
}

// The wait of the sheet is its p95, of which a limit on the median says nothing.
TEST(Headroom, has_the_wait_a_capacity_by_limits_on_high_percentiles_only) {
  ForecastRequest request = *parse_forecast_request(kKnown, "f.yaml");
  const std::optional<Served> served = test::known_served();
  Simulated simulated;
  simulated.baseline.served = simulated.forecast.served = served;
  GroupSummary& all = simulated.baseline.peak.emplace().probe.summary.cluster;
  all.ttft.mean_ms = 14;
  all.scheduling_delay.mean_ms = 4;
  const auto capacity = [&](const char* slos) {
    request.slos = *parse_slos("slo", slos);
    return FigureMaker(request, served, simulated).forecast().capacity_of(Resource::queue_delay);
  };
  EXPECT_FALSE(capacity("ttft_p50<60ms,ttft_mean<60ms"));
  const auto by_p99 = capacity("ttft_p50<60ms,ttft_p99<80ms");
  ASSERT_TRUE(by_p99);
  EXPECT_DOUBLE_EQ(by_p99->value, 70);
}

// A mix of longer prompts and more requests: whatever the lines say of each alone, the sheet is
// short where the whole peak is, and nowhere else.
TEST(Headroom, is_a_resource_short_exactly_where_the_simulated_peak_is) {
  SLOW_SANITIZED();
  for (const char* prompts : {"13000", "20000"}) {
    const std::string text = fmt::format(
        "routes: {{r: {{requests_per_s: {{baseline: 20, forecast: 110}}, prompt_tokens: "
        "{{baseline: "
        "10000, forecast: {}}}, output_tokens: 1}}}}\nscenarios: {{built_in: []}}",
        prompts);
    const HeadroomSheet sheet =
        sheet_of(*parse_forecast_request(text, "f.yaml"), test::known_served());
    double most = 0;
    for (const SheetRow& one : sheet.rows) {
      if (one.capacity_from == Provenance::simulated && one.resource != Resource::queue_delay) {
        most = std::max(most, *one.utilisation());
      }
    }
    EXPECT_NEAR(most, 1 / sheet.forecast->line.factor, 1e-9) << prompts;
    // The wait of an overload is as long as one looks: no figure.
    EXPECT_EQ(row(sheet, Resource::queue_delay).forecast_p95.has_value(), most < 1) << prompts;
  }
}

TEST(Headroom, is_a_multiple_of_the_same_flows_held_as_often_as_it_is_less) {
  SLOW_SANITIZED();
  Situation before;
  before.served = test::known_served();
  before.flows = flows_of(parse_forecast_request(kKnown, "f.yaml")->baseline);
  Situation now = before;
  now.flows[0].requests_per_s *= 1.5;
  EXPECT_DOUBLE_EQ(*multiple_of(before, now), 1.5);
  Line line;
  line.factor = 3;
  line.interval = {2, 4};
  EXPECT_DOUBLE_EQ(line.of_multiple(1.5).factor, 2);
  EXPECT_DOUBLE_EQ(line.of_multiple(1.5).interval.low, 2 / 1.5);
  now.flows[0].prompt_tokens += 1;
  EXPECT_FALSE(multiple_of(before, now));
  now = before;
  now.served = before.served->with_replicas(1);
  EXPECT_FALSE(multiple_of(before, now));
}

TEST(Headroom, does_more_supply_never_lower_it_and_more_demand_never_raise_it) {
  const auto flows = flows_of(parse_forecast_request(kKnown, "f.yaml")->baseline);
  double before = 0;
  for (const std::int64_t instances : {1, 2, 3}) {
    const auto line = find_line(test::known_served().with_replicas(instances), flows,
                                LoadGrowth::rate, {}, {}, {0.1});
    ASSERT_TRUE(line);
    EXPECT_GT(line->factor, 1.3 * before);
    before = line->factor;
  }
  SheetRow row;
  row.capacity = 100;
  for (const double demand : {10.0, 80.0, 120.0}) {
    const auto headroom = row.headroom();
    row.forecast_p95 = demand;
    EXPECT_LT(*row.headroom(), headroom.value_or(100));
  }
}

TEST(Headroom, is_a_scenario_that_cannot_be_simulated_a_row_with_its_reason) {
  SLOW_SANITIZED();
  const ForecastRequest request = *parse_forecast_request(R"(routes:
  only: {requests_per_s: 20, prompt_tokens: 10000, output_tokens: 1}
scenarios:
  all lost: {instances: -2}
  nobody comes: {set: {requests_per_s: 0}}
  too long: {times: {prompt_tokens: 100000}}
  held back: {batch_window_ms: 50}
  built_in: [retry-storm]
)",
                                                          "f.yaml");
  const HeadroomSheet sheet = sheet_of(request, test::known_served());
  ASSERT_EQ(sheet.scenarios.size(), 5U);
  EXPECT_EQ(sheet.scenarios[1].problem, "no instance is left: nothing is served");
  EXPECT_EQ(sheet.scenarios[1].risk, Risk::shortfall);
  EXPECT_TRUE(sheet.scenarios[1].is_outage);
  EXPECT_EQ(*at(sheet.scenarios[1].capacity, Resource::requests), 0);
  EXPECT_FALSE(at(sheet.scenarios[1].demand, Resource::requests));  // nothing is known of it
  EXPECT_EQ(sheet.scenarios[2].problem, "no request is left");
  EXPECT_NE(sheet.scenarios[3].problem.find("none of the"), std::string::npos);
  EXPECT_EQ(sheet.scenarios[4].problem, "");
  // Nobody has to try again.
  const ScenarioRow& storm = sheet.scenarios[0];
  EXPECT_EQ(storm.name, "retry-storm");
  EXPECT_TRUE(storm.worse.empty() && storm.better.empty());
  // The window is waited for once.
  EXPECT_NEAR(*at(sheet.scenarios[4].demand, Resource::queue_delay),
              *row(sheet, Resource::queue_delay).forecast_p95 + 50, 1e-6);
}

TEST(Headroom, do_threads_not_matter) {
  Execution three;
  three.threads = 3;
  const auto flows = flows_of(parse_forecast_request(kKnown, "f.yaml")->baseline);
  const auto one = find_line(test::known_served(), flows, LoadGrowth::rate, {}, {}, {0.1});
  const auto other = find_line(test::known_served(), flows, LoadGrowth::rate, {}, three, {0.1});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->factor, other->factor);
}

TEST(Headroom, tells_how_much_of_each_phase_is_done) {
  Execution execution;
  std::vector<std::string> told;
  execution.progressed = [&](std::string_view phase, std::size_t done, std::size_t of) {
    if (done == 0 || done == of) told.push_back(std::string(phase) + (done == of ? " done" : ""));
  };
  auto request = *parse_forecast_request(kKnown, "f.yaml");
  ASSERT_TRUE(find_headroom(request, test::known_served(), execution));
  EXPECT_THAT(told, testing::IsSupersetOf({"finding capacities", "finding capacities done"}));
  for (const std::string& phase : told) {
    const std::string name = phase.substr(0, phase.find(" done"));
    EXPECT_EQ(std::ranges::count(kForecastPhases, name), 1) << phase;
  }
}

TEST(Headroom, has_a_sheet_that_was_cut_short_no_rows) {
  Execution execution;
  int looks = 0;
  execution.keep_going = [&] { return ++looks < 3; };
  const auto cut =
      find_headroom(*parse_forecast_request(kKnown, "f.yaml"), test::known_served(), execution);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->interrupted);
  EXPECT_TRUE(cut->rows.empty());
}

}  // namespace
}  // namespace plimsoll
