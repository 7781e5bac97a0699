// Does what providers answer, and what that costs, follow the history?
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/calendar.h"
#include "forecast/headroom/money.h"
#include "forecast/runway/bill.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/sheet.h"
#include "read_demand.h"

namespace plimsoll {
namespace {

constexpr int kHours = 12 * 7 * 24;
constexpr double kUsdPerRequest = (1000 * 1.0 + 300 * 4.0) / 1e6;

// Rises from 8 requests/s by a quarter in twelve weeks, around which it goes up and down each day.
double rate_at(int hour) {
  return 8 * (1 + 0.6 * std::sin(2 * M_PI * hour / 24)) * (1 + 0.25 * hour / kHours);
}

std::string history_file(const char* name, const char* route) {
  const auto path = std::filesystem::temp_directory_path() / name;
  std::ofstream file(path);
  file << "time," << (*route != 0 ? "route," : "") << "requests_per_s\n";
  for (int hour = 0; hour < kHours; ++hour) {
    file << iso_time(20'000 * kDayS + 3600.0 * hour) << ',' << route << (*route != 0 ? "," : "")
         << rate_at(hour) << '\n';
  }
  return path.string();
}

Route route_of(const char* name, double rate, bool from_provider) {
  Route route;
  route.name = name;
  route.requests_per_s = rate;
  route.prompt_tokens = 1000;
  route.output_tokens = 300;
  route.from_provider = from_provider;
  return route;
}

struct Followed {
  ForecastRequest request;
  DemandHistory demand;
  std::vector<DemandOutlook> outlooks;
};

Followed followed(const std::string& file, std::vector<Route> routes, double horizon_days = 28,
                  ForecastRequest asked = {}) {
  Followed out;
  out.request = std::move(asked);
  out.request.history.path = file;
  out.request.history.horizon_days = horizon_days;
  out.request.provider_price = {1, 4, std::nullopt};
  out.request.baseline = out.request.forecast = std::move(routes);
  out.demand = read_demand(out.request.history, out.request.forecast).value();
  out.outlooks = look_ahead(out.demand, out.request.history).value();
  follow_mean_load(out.outlooks, &out.demand, &out.request);
  const auto ahead = look_ahead_routes(out.demand, out.outlooks);
  const bool is_stated = says_what_will_be(out.request);
  EXPECT_TRUE(continue_routes(out.outlooks, *ahead, &out.request));
  EXPECT_TRUE(follow_spend(out.outlooks, is_stated, &out.demand, &out.request));
  return out;
}

double rate_of(const std::vector<Route>& routes, const char* name) {
  return std::ranges::find(routes, name, &Route::name)->requests_per_s;
}

// Of the four weeks ahead.
double true_bill() {
  double sum = 0;
  for (int hour = kHours; hour < kHours + 28 * 24; ++hour) sum += rate_at(hour);
  return sum / (28 * 24) * kUsdPerRequest * 730 * 3600;
}

TEST(ProviderHistory, is_a_provider_paid_for_the_mean_of_what_the_history_becomes) {
  for (const char* route : {"", "api"}) {
    const std::string file = history_file("plimsoll-provider.csv", route);
    const Followed c = followed(file, {route_of("api", 2, true)});
    const double now = rate_of(c.request.baseline, "api");
    const double then = rate_of(c.request.forecast, "api");
    EXPECT_NEAR(now, 15.9, 0.2);
    EXPECT_NEAR(then, 8 * 1.6 * (1 + 0.25 * 16 / 12), 0.3);
    const double bill = *provider_usd_per_month(c.request, flows_of(c.request.forecast));
    EXPECT_NEAR(bill, true_bill(), 0.03 * bill);
    // Of the week up to the present, at its own load.
    double week = 0;
    for (int hour = kHours - 168; hour < kHours; ++hour)
      week += rate_at(hour) / 168 * kUsdPerRequest * 730 * 3600;
    const auto today =
        usd_per_month(c.request, flows_of(c.request.baseline), true, std::nullopt, std::nullopt);
    EXPECT_NEAR(*today, week, 0.02 * week);
    EXPECT_NEAR(c.request.mean_load, 0.61, 0.02);
    EXPECT_TRUE(c.request.band);
    std::filesystem::remove(file);
  }
}

// Ten requests a second on two days of five: providers are paid for four on average.
TEST(ProviderHistory, is_demand_that_pauses_paid_for_its_mean) {
  const auto path = std::filesystem::temp_directory_path() / "plimsoll-pausing.csv";
  {
    std::ofstream file(path);
    file << "time,requests_per_s\n";
    for (int day = 0; day < 126; ++day)
      file << iso_time((20'000 + day) * kDayS) << ',' << (day * 7 % 5 < 2 ? 10 : 0) << '\n';
  }
  const Followed c = followed(path.string(), {route_of("api", 2, true)}, 56);
  const double mean = 4 * kUsdPerRequest * 730 * 3600;
  EXPECT_NEAR(*provider_usd_per_month(c.request, flows_of(c.request.forecast)), mean, 0.05 * mean);
  EXPECT_NEAR(c.request.mean_load, 0.4, 0.02);
  std::filesystem::remove(path);
}

// Demand is flat, and doubles on a day a month ahead; a month costs half of what its peak does.
TEST(ProviderHistory, costs_a_month_before_a_launch_what_it_costs_today) {
  const auto path = std::filesystem::temp_directory_path() / "plimsoll-before-launch.csv";
  {
    std::ofstream file(path);
    file << "time,requests_per_s\n";
    for (int day = 0; day < 126; ++day) file << iso_time((20'000 + day) * kDayS) << ",10\n";
  }
  ForecastRequest asked;
  asked.mean_load = 0.5;
  asked.says_mean_load = true;
  KnownEvent launch;
  launch.name = "launch";
  launch.from_s = (20'000 + 126 + 30) * kDayS;
  launch.times = 2;
  asked.history.events = {launch};
  const Followed c = followed(path.string(), {route_of("api", 10, true)}, 60, asked);
  const double each_day = 0.5 * 10 * kUsdPerRequest * 86'400;
  EXPECT_NEAR(*provider_usd_per_month(c.request, flows_of(c.request.forecast)),
              2 * each_day * 730 / 24, 0.01 * each_day * 730 / 24);
  const auto bill = bill_ahead(c.demand, nullptr, INFINITY);
  ASSERT_TRUE(bill);
  // The history ends on 2025-02-07 (day 20,126); the 28th is its last one before March.
  EXPECT_NEAR(bill->point[20'147 - 20'126], 28 * each_day, 0.02 * 28 * each_day);
  std::filesystem::remove(path);
}

TEST(ProviderHistory, is_the_date_known_on_which_the_budget_is_spent) {
  const std::string file = history_file("plimsoll-budget.csv", "");
  Followed c = followed(file, {route_of("api", 2, true)}, 60);
  // More than December costs, by what comes in truth, and less than January.
  const int january = (20'089 - 20'000) * 24;
  const auto usd = [](int from, int to) {
    double sum = 0;
    for (int hour = from; hour < to; ++hour) sum += 3600 * rate_at(hour) * kUsdPerRequest;
    return sum;
  };
  const double budget = (usd(january - 31 * 24, january) + usd(january, january + 31 * 24)) / 2;
  int spent = january;
  while (usd(january, spent) < budget) ++spent;
  c.request.given[Resource::budget].capacity = budget;
  const auto sheet = find_headroom(c.request, std::nullopt, Execution{});
  ASSERT_TRUE(sheet);
  const RunwaySheet runway = find_runway(c.request, c.demand, c.outlooks, *sheet);
  ASSERT_EQ(runway.rows.size(), 1U);
  EXPECT_EQ(runway.rows[0].resource, Resource::budget);
  EXPECT_GT(runway.rows[0].runway.probability(), 0.9);
  ASSERT_TRUE(runway.rows[0].runway.time_at(0.5));
  EXPECT_NEAR(*runway.rows[0].runway.time_at(0.5), 20'000 * kDayS + 3600.0 * spent, kDayS);
  EXPECT_LT(runway.rows[0].runway.chance_before((20'089 + 20) * kDayS), 0.01);
  std::filesystem::remove(file);
}

// A route of long prompts grows by 8 % a week beside one of short ones that does not, so that a
// request costs more every day.
TEST(ProviderHistory, is_every_day_of_a_bill_priced_by_its_own_mix) {
  const auto path = std::filesystem::temp_directory_path() / "plimsoll-bill-by-mix.csv";
  const auto agent_rate = [](int hour) { return 0.3 * std::pow(1.08, hour / (7.0 * 24)); };
  {
    std::ofstream file(path);
    file << "time,route,requests_per_s\n";
    for (int hour = 0; hour < kHours; ++hour) {
      const std::string time = iso_time(20'000 * kDayS + 3600.0 * hour);
      const double of_day = 1 + 0.6 * std::sin(2 * M_PI * hour / 24);
      file << time << ",chat," << 8 * of_day << '\n';
      file << time << ",agent," << agent_rate(hour) * of_day << '\n';
    }
  }
  std::vector<Route> routes{route_of("chat", 6, true), route_of("agent", 3, true)};
  routes[1].prompt_tokens = 40'000;
  const Followed c = followed(path.string(), routes, 60);
  const auto bill = bill_ahead(c.demand, nullptr, INFINITY);
  ASSERT_TRUE(bill);
  const auto truth = [&](int from_day, int to_day) {
    double usd = 0;
    for (int hour = 24 * (from_day - 20'000); hour < 24 * (to_day - 20'000); ++hour) {
      usd += 3600 * (8 * kUsdPerRequest + agent_rate(hour) * (kUsdPerRequest + 39'000 / 1e6)) *
             (1 + 0.6 * std::sin(2 * M_PI * hour / 24));
    }
    return usd;
  };
  // Of the month that the history ends in, on 2024-12-26, and of the next one.
  const auto of_day = [&](int day) {
    return bill->bands[static_cast<std::size_t>(day - 20'084)][kMedianBand];
  };
  EXPECT_NEAR(of_day(20'088), truth(20'058, 20'089), 0.02 * truth(20'058, 20'089));
  EXPECT_NEAR(of_day(20'119), truth(20'089, 20'120), 0.02 * truth(20'089, 20'120));
  // The sheet has the dearest month: the last thirty days.
  const double dearest = truth(20'114, 20'144) * 730 / (30 * 24);
  EXPECT_NEAR(*provider_usd_per_month(c.request, flows_of(c.request.forecast)), dearest,
              0.03 * dearest);
  // The bill of a month does not depend on how far the forecast looks beyond it.
  const auto longer = bill_ahead(followed(path.string(), routes, 90).demand, nullptr, INFINITY);
  EXPECT_NEAR(longer->bands[20'088 - 20'084][kMedianBand], of_day(20'088), 0.005 * of_day(20'088));
  std::filesystem::remove(path);
}

// Neither comes near its own limit; their sum is far beyond either.
TEST(ProviderHistory, is_each_provider_held_against_its_own_limit) {
  const auto path = std::filesystem::temp_directory_path() / "plimsoll-two-providers.csv";
  {
    std::ofstream file(path);
    file << "time,route,requests_per_s\n";
    for (int hour = 0; hour < kHours; ++hour) {
      const std::string time = iso_time(20'000 * kDayS + 3600.0 * hour);
      file << time << ",chat," << 0.7 * rate_at(hour) << '\n';
      file << time << ",agent," << 0.3 * rate_at(hour + 12) << '\n';
    }
  }
  std::vector<Route> routes{route_of("chat", 6, true), route_of("agent", 3, true)};
  routes[0].provider = "alpha";
  routes[1].provider = "beta";
  ForecastRequest asked;
  asked.providers = {{"alpha", {1, 4, std::nullopt}, 900, std::nullopt},
                     {"beta", {2, 8, std::nullopt}, 200, std::nullopt}};
  const Followed c = followed(path.string(), std::move(routes), 28, std::move(asked));
  // The busy hours of the two are half a day apart.
  EXPECT_NEAR(rate_of(c.request.forecast, "chat"), 0.7 * 17.07, 0.3);
  EXPECT_NEAR(rate_of(c.request.forecast, "agent"), 0.3 * 17.07, 0.2);
  const auto sheet = find_headroom(c.request, std::nullopt, Execution{});
  ASSERT_TRUE(sheet);
  const RunwaySheet runway = find_runway(c.request, c.demand, c.outlooks, *sheet);
  ASSERT_EQ(runway.rows.size(), 2U);
  EXPECT_EQ(runway.rows[0].provider, "alpha");
  EXPECT_EQ(runway.rows[0].line, 900);
  EXPECT_LT(runway.rows[0].runway.probability(), 0.01);
  EXPECT_NEAR(runway.rows[0].peak[3], 60 * 0.7 * 17.07, 20);
  EXPECT_EQ(runway.rows[1].provider, "beta");
  EXPECT_GT(runway.rows[1].runway.probability(), 0.99);
  // The sheet has the one of which more is used, with the band of its own demand.
  const auto row = std::ranges::find(sheet->rows, Resource::provider_requests, &SheetRow::resource);
  EXPECT_NEAR(*row->forecast_p95, runway.rows[1].peak[3], 1e-6);
  EXPECT_NEAR(row->forecast_band->high, runway.rows[1].peak.back(), 1e-6);
  std::filesystem::remove(path);
}

TEST(ProviderHistory, do_both_sides_share_a_history_that_does_not_tell_them_apart) {
  const std::string file = history_file("plimsoll-mixed.csv", "");
  const Followed c = followed(file, {route_of("own", 3, false), route_of("api", 1, true)});
  EXPECT_NEAR(rate_of(c.request.baseline, "own"), 0.75 * 15.9, 0.2);
  EXPECT_NEAR(rate_of(c.request.baseline, "api"), 0.25 * 15.9, 0.1);
  EXPECT_NEAR(rate_of(c.request.forecast, "own"), 3 * rate_of(c.request.forecast, "api"), 0.3);
  EXPECT_THAT(c.demand.history.notes,
              testing::Contains(testing::HasSubstr("does not tell its routes apart")));
  std::filesystem::remove(file);
}

// A batch at night is paid for, though it is silent when chat is busiest; each by its own mean
// load.
TEST(ProviderHistory, is_a_route_that_rests_at_the_peak_paid_for) {
  const auto path = std::filesystem::temp_directory_path() / "plimsoll_night_batch.csv";
  std::ofstream file(path);
  file << "time,route,requests_per_s\n";
  for (int hour = 0; hour < kHours; ++hour) {
    const bool is_night = hour % 24 < 6;
    const std::string time = iso_time(20'000 * kDayS + 3600.0 * hour);
    file << time << ",chat," << (is_night ? 1 : 8) << '\n';
    file << time << ",batch," << (is_night ? 2 : 0) << '\n';
  }
  file.close();
  const Followed out =
      followed(path.string(), {route_of("chat", 8, true), route_of("batch", 2, true)});
  const double mean = (6 * (1 + 2) + 18 * 8) / 24.0;
  const auto usd = provider_usd_per_month(out.request, flows_of(out.request.forecast));
  ASSERT_TRUE(usd);
  EXPECT_NEAR(*usd, mean * kUsdPerRequest * 3600 * 730, 0.02 * *usd);
}

}  // namespace
}  // namespace plimsoll
