// Do the files watch for the thresholds that the sheet prints, in the units of the metrics?
#include "report/forecast/alerts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SheetRow row(Resource resource, double forecast, double capacity) {
  SheetRow row;
  row.resource = resource;
  row.forecast_p95 = forecast;
  row.capacity = capacity;
  return row;
}

ForecastReport report() {
  ForecastReport r;
  r.request.name = "Launch";
  r.deployment = {"1 x H100"};
  r.request.slos = *parse_slos("slo", "ttft_p99<500ms,e2e_mean<2s");
  Route& chat = r.request.baseline.emplace_back();
  chat.requests_per_s = 2;
  chat.prompt_tokens = 1000;
  chat.cached_share = 0.5;
  r.headroom.rows = {row(Resource::prompt_tokens, 90'000, 100'000),
                     row(Resource::active_kv_tokens, 200'000, 400'000), row(Resource::gpus, 4, 8)};
  r.headroom.binding = Resource::prompt_tokens;
  ScenarioRow cold;
  cold.name = "cold {{cache}}";
  cold.trigger = Trigger{"cached_share", "cached share of prompts", "share", 0.25, true, false};
  ScenarioRow memory;
  memory.name = "long prompts";
  at(memory.capacity, Resource::active_kv_tokens) = 400'000;
  memory.trigger = Trigger{"active_kv_tokens", "active KV tokens", "tokens", 360'000};
  ScenarioRow money;
  money.name = "price-rise";
  money.is_decided = false;
  money.trigger = Trigger{"usd_per_month", "$ per month", "$/month", 9000};
  r.headroom.scenarios = {cold, memory, money};
  return r;
}

std::string rules() { return alert_files("prometheus", report()).front().text; }

TEST(Alerts, is_each_limit_and_capacity_watched_in_the_unit_of_its_metric) {
  EXPECT_THAT(rules(), HasSubstr("histogram_quantile(0.99, sum by (le) "
                                 "(rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 0.5"));
  EXPECT_THAT(rules(), HasSubstr("sum(rate(vllm:e2e_request_latency_seconds_sum[5m])) / "
                                 "sum(rate(vllm:e2e_request_latency_seconds_count[5m])) > 2"));
  EXPECT_THAT(rules(), HasSubstr("sum(rate(vllm:prompt_tokens_total[5m])) - "
                                 "sum(rate(vllm:prefix_cache_hits_total[5m])) > 100000"));
  EXPECT_THAT(rules(),
              HasSubstr("sum(rate(vllm:num_preemptions_total[5m])) > 0"));  // no cache is fuller
}

TEST(Alerts, is_a_scenario_rolled_back_at_the_number_of_its_row) {
  EXPECT_THAT(rules(), HasSubstr("sum(rate(vllm:prefix_cache_hits_total[5m])) / "
                                 "sum(rate(vllm:prefix_cache_queries_total[5m])) < 0.25"));
  EXPECT_THAT(rules(), HasSubstr("avg(vllm:kv_cache_usage_perc) > 0.9"));
  EXPECT_THAT(rules(),
              HasSubstr("Not watched, as no metric shows it: GPUs, roll back of price-rise."));
}

TEST(Alerts, does_a_request_count_once_where_prefill_and_decode_are_apart) {
  ForecastReport r = report();
  r.splits = true;
  r.headroom.rows.push_back(row(Resource::requests, 20, 30));
  const std::string text = alert_files("prometheus", r).front().text;
  EXPECT_THAT(text, HasSubstr("sum(rate(vllm:request_success_total[5m])) / 2 + "
                              "sum(deriv(vllm:num_requests_running[5m])) + "
                              "sum(deriv(vllm:num_requests_waiting[5m])) > 30"));
  EXPECT_THAT(text, HasSubstr("sum(rate(vllm:prompt_tokens_total[5m])) / 2 - "
                              "sum(rate(vllm:prefix_cache_hits_total[5m])) > 100000"));
  EXPECT_THAT(text, HasSubstr("each count a request"));
  EXPECT_THAT(rules(), Not(HasSubstr("each count a request")));
}

// What three of four instances carry is passed every day, by four.
TEST(Alerts, is_a_healthy_deployment_not_rolled_back_for_a_loss_or_a_lower_limit) {
  ForecastReport r = report();
  ScenarioRow loss;
  loss.name = "instance-loss";
  loss.instances = 3;
  loss.trigger = Trigger{"requests_per_s", "requests/s", "requests/s", 30};
  ScenarioRow cut;
  cut.name = "rate-limit-cut";
  cut.lowers_limits = true;
  cut.trigger = Trigger{"provider_requests_per_min", "provider requests/min", "requests/min", 600};
  r.headroom.scenarios = {loss, cut};
  const std::string text = alert_files("prometheus", r).front().text;
  EXPECT_THAT(text, HasSubstr("sum(deriv(vllm:num_requests_waiting[5m])) > 30) and "
                              "count(count by (instance) (vllm:num_requests_running)) <= 3) or "
                              "absent(vllm:num_requests_running)"));
  EXPECT_THAT(text, HasSubstr("roll back of rate-limit-cut."));
}

// A rule that is true today would fire for ever, and one of which going back is no help is none to
// roll back by.
TEST(Alerts, has_a_scenario_no_rule_that_is_true_today_nor_one_that_its_text_denies) {
  ForecastReport r = report();
  Route& chat = r.request.baseline.front();
  chat.cached_share = 0.2;  // the cold cache is rolled back below 25 %
  std::string text = alert_files("prometheus", r).front().text;
  EXPECT_THAT(text, Not(HasSubstr("prefix_cache_queries_total")));
  EXPECT_THAT(text, HasSubstr("as it would already fire today: cold {{cache}}"));
  chat.cached_share = 0.3;
  r.headroom.scenarios[0].trigger->is_passed = true;  // by the forecast
  text = alert_files("prometheus", r).front().text;
  EXPECT_THAT(text, HasSubstr("alert: PlimsollAct"));
  EXPECT_THAT(text, HasSubstr(": Act before the forecast comes true: even without"));
  r.headroom.rows[1].baseline_p95 = 370'000;  // beyond the 360,000 of long prompts
  EXPECT_THAT(alert_files("prometheus", r).front().text, Not(HasSubstr("PlimsollRollBack")));
}

// Four instances for $8,000 a month, and a provider: what they cost now is watched by the budget,
// and a launch that would break it is rolled back.
TEST(Alerts, is_money_watched_by_what_runs_and_what_is_bought) {
  ForecastReport r = report();
  r.usd_per_month = 8000;
  r.instances = 4;
  Route api;
  api.requests_per_s = 2;
  api.prompt_tokens = 1000;
  api.cached_share = 0.5;
  api.from_provider = true;
  r.request.baseline = r.request.forecast = {api};
  r.request.provider_price = {2, 10, 0.5};
  r.headroom.binding = Resource::budget;
  r.headroom.rows = {row(Resource::budget, 15'000, 12'000)};
  ScenarioRow launch;
  launch.name = "launch";
  launch.trigger = Trigger{"usd_per_month", "$ per month", "$/month", 10'800};
  r.headroom.scenarios = {launch};
  const std::string text = alert_files("prometheus", r).front().text;
  // A month has 2.628 million seconds; half of the prompts cost a quarter.
  const std::string bill =
      "(count(count by (instance) (vllm:num_requests_running)) * 2000 or vector(0)) + "
      "(sum(rate(gen_ai_client_token_usage_sum{gen_ai_token_type=\\\"input\\\"}[1d])) * 3.285 or "
      "vector(0)) + "
      "(sum(rate(gen_ai_client_token_usage_sum{gen_ai_token_type=\\\"output\\\"}[1d])) * 26.28 or "
      "vector(0))";
  EXPECT_THAT(text, HasSubstr(bill + " > 12000"));
  EXPECT_THAT(text, HasSubstr(bill + " > 10800"));
  EXPECT_THAT(text, Not(HasSubstr("Not watched")));
  EXPECT_THAT(text, HasSubstr("as OpenTelemetry names them"));
  Provider& alpha = r.request.providers.emplace_back();
  alpha.name = "alpha";
  alpha.price.usd_per_million_in = 1;
  r.usd_per_month = 0;
  EXPECT_THAT(alert_files("prometheus", r).front().text,
              HasSubstr("gen_ai_token_type=\\\"input\\\", gen_ai_provider_name=\\\"alpha\\\""));
}

TEST(Alerts, is_a_name_no_template_and_the_file_yaml) {
  EXPECT_THAT(rules(), Not(HasSubstr("{{cache")));
  auto spec = SpecFile::parse(rules(), "rules.yaml");
  ASSERT_TRUE(spec);
  SpecMap top = spec->top();
  const std::vector<SpecMap> groups = top.maps("groups");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(SpecMap(groups[0]).maps("rules").size(), 4U);
  EXPECT_EQ(SpecMap(groups[1]).maps("rules").size(), 2U);
}

TEST(Alerts, has_the_dashboard_a_panel_for_each_that_prometheus_knows) {
  const Json dashboard = Json::parse(alert_files("grafana", report()).front().text);
  ASSERT_TRUE(dashboard.is_object());
  ASSERT_EQ(dashboard["panels"].size(), 5U);  // all at once, two limits, two capacities
  EXPECT_EQ(dashboard["panels"].front()["targets"].size(), 4U);
  const Json& last = *(dashboard["panels"].end() - 1);
  EXPECT_EQ((last["fieldConfig"]["defaults"]["thresholds"]["steps"].end() - 1)
                ->find("value")
                ->as_double(),
            1);
}

}  // namespace
}  // namespace plimsoll
