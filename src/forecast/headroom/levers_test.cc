// What would help, at what cost, and whose cost it is.
#include "forecast/headroom/levers.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "forecast/headroom/money.h"
#include "known_system.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

// 100 requests per second in all, of which an instance serves 100 of 10,000 prompt tokens.
constexpr const char* kBusy = R"(slo: ttft_mean<50ms
routes:
  chat: {requests_per_s: 90, prompt_tokens: 10000, output_tokens: 1, fallback_share: 0.5, fallback_to: strong}
  strong: {requests_per_s: 5, prompt_tokens: 10000, output_tokens: 1}
)";

ForecastRequest busy() { return *parse_forecast_request(kBusy, "f.yaml"); }

Served pool(std::int64_t instances) {
  Served served;
  served.system = test::single_servers("");
  served.system.load = nullptr;
  served.system.slos = busy().slos;
  served.system.deployment.main().num_instances = static_cast<std::int32_t>(instances);
  served.gpu = "H100";
  served.usd_per_gpu_hour = 2;
  return served;
}

Line held(double factor) {
  Line line;
  line.factor = factor;
  line.is_known = true;
  return line;
}

std::vector<std::string> names(const Served& served, const Line& now_held = held(1.2),
                               std::int64_t enough = 3) {
  std::vector<std::string> all;
  for (const Lever& lever : levers_for(busy(), served, now_held, enough)) all.push_back(lever.name);
  return all;
}

TEST(Levers, apply_where_they_can_change_something) {
  const auto of_one = names(pool(1));
  EXPECT_EQ(std::ranges::count(of_one, "routing to the least loaded"), 0);
  EXPECT_EQ(std::ranges::count(of_one, "TP 2 on the same GPUs"), 0);
  EXPECT_EQ(std::ranges::count(of_one, "TP 2 on twice the GPUs"), 1);
  EXPECT_EQ(std::ranges::count(of_one, "1 fewer instance"), 0);
  const auto of_four = names(pool(4));
  EXPECT_EQ(std::ranges::count(of_four, "routing to the least loaded"), 1);
  EXPECT_EQ(std::ranges::count(of_four, "routing by prefix"), 0);  // nothing is cached
  EXPECT_EQ(std::ranges::count(of_four, "TP 2 on the same GPUs"), 1);
  EXPECT_EQ(std::ranges::count(of_four, "TP 2 on twice the GPUs"), 0);
  EXPECT_EQ(std::ranges::count(of_four, "1 fewer instance"), 1);
  EXPECT_EQ(std::ranges::count(names(pool(4), held(1.2), 4), "1 fewer instance"), 0);
  EXPECT_EQ(std::ranges::count(names(pool(16)), "4 more instances"), 1);
}

TEST(Levers, are_chunks_offered_to_who_takes_prompts_whole_and_other_sizes_to_who_does_not) {
  SLOW_SANITIZED();
  const auto about_chunks = [](const Served& served) {
    std::vector<std::string> all = names(served);
    std::erase_if(all, [](const auto& name) { return name.find("chunks") == std::string::npos; });
    return all;
  };
  Served served = pool(2);
  served.system.deployment.main().engine.max_num_batched_tokens = 2048;
  EXPECT_EQ(about_chunks(served),
            (std::vector<std::string>{"chunks of 1,024 tokens", "chunks of 8,192 tokens"}));
  served.system.deployment.main().engine.chunked_prefill = false;
  EXPECT_EQ(about_chunks(served), std::vector<std::string>{"prompts in chunks"});
  served.system.deployment.main().engine.batching_rule = "orca";
  EXPECT_EQ(about_chunks(served), std::vector<std::string>{"prompts in chunks, as vllm"});
}

TEST(Levers, are_called_for_by_load_gpus_or_money) {
  SLOW_SANITIZED();
  HeadroomSheet sheet;
  sheet.forecast.emplace();
  sheet.forecast->line.factor = 1.2;
  EXPECT_TRUE(is_tight(sheet));
  sheet.forecast->line.factor = 3;
  EXPECT_FALSE(is_tight(sheet));
  SheetRow row;
  row.forecast_p95 = 90;
  row.capacity = 100;
  for (const auto& [resource, can_change] : {std::pair{Resource::gpus, true},
                                             {Resource::budget, true},
                                             {Resource::provider_requests, false}}) {
    row.resource = resource;
    sheet.rows = {row};
    EXPECT_EQ(is_tight(sheet), can_change) << facts_of(resource).name;
  }
  sheet.rows.front().resource = Resource::budget;
  sheet.rows.front().capacity = 200;
  EXPECT_FALSE(is_tight(sheet));
}

HeadroomSheet sheet_that_holds(double factor) {
  HeadroomSheet sheet;
  sheet.forecast.emplace().line = held(factor);
  return sheet;
}

TEST(Levers, are_ranked_by_what_a_dollar_gains) {
  SLOW_SANITIZED();
  // Of all flags only one more instance does something.
  const Serve serve = [](const std::vector<std::string>& flags) -> Result<Served> {
    if (flags.front() == "--num-instances=2") return pool(2);
    if (flags.front().starts_with("--max-num-seqs")) return pool(1);
    return fail(ErrorKind::usage, "not here");
  };
  const auto levers = try_levers(busy(), pool(1), sheet_that_holds(0.7), serve, Execution{});
  ASSERT_TRUE(levers);
  ASSERT_EQ(levers->size(), 2U);
  const LeverResult& more = levers->front();
  EXPECT_EQ(more.lever.name, "1 more instance");
  EXPECT_GT(more.more, 0.4);
  EXPECT_DOUBLE_EQ(*more.usd_per_month, 2 * 730);
  EXPECT_DOUBLE_EQ(*more.more_per_1k_usd(), more.more / 1.46);
  EXPECT_FALSE(more.gains_for_nothing());
  const LeverResult& fewer_places = levers->back();
  EXPECT_FALSE(fewer_places.more_per_1k_usd() || fewer_places.gains_for_nothing());
}

TEST(Levers, of_a_load_that_is_too_much_tell_how_fast_its_queue_grows_instead_of_latencies) {
  SLOW_SANITIZED();
  const Serve serve = [](const std::vector<std::string>& flags) -> Result<Served> {
    if (flags.front().starts_with("--max-num-seqs")) return pool(1);
    return fail(ErrorKind::usage, "not here");
  };
  HeadroomSheet sheet = sheet_that_holds(0.7);
  sheet.forecast->probe.state.verdict = SteadyVerdict::overloaded;
  sheet.forecast->probe.state.backlog_growth_rps = 1;
  const auto levers = try_levers(busy(), pool(1), sheet, serve, Execution{});
  ASSERT_TRUE(levers);
  ASSERT_EQ(levers->front().worse.size(), 1U);
  EXPECT_EQ(levers->front().worse.front().what, "queue growth req/s");
  EXPECT_GT(levers->front().worse.front().after, 10);
}

// An instance serves 100 requests/s; 140 come, and the limit leaves room for some 75.
TEST(Levers, is_what_is_not_held_turned_away_and_the_rest_kept_within_the_limit) {
  ForecastRequest request = busy();
  request.load.length_cv = 0;  // else short prompts pass more often than long ones
  HeadroomSheet sheet = sheet_that_holds(0.55);
  sheet.forecast->line.at_line.emplace().rate_rps = 75;
  const Serve serve = [](const std::vector<std::string>& flags) -> Result<Served> {
    if (!flags.front().starts_with("--admission-policy")) return fail(ErrorKind::usage, "not here");
    EXPECT_EQ(flags[1], "--token-bucket-refill-rate=750000");
    EXPECT_EQ(flags[2], "--token-bucket-capacity=750000");
    Served limited = pool(1);
    Deployment& rules = limited.system.deployment;
    rules.admission = "token-bucket";
    rules.parameters["token-bucket-refill-rate"] = 750'000;
    rules.parameters["token-bucket-capacity"] = 750'000;
    return limited;
  };
  const auto levers = try_levers(request, pool(1), sheet, serve, Execution{});
  ASSERT_TRUE(levers);
  ASSERT_EQ(levers->size(), 1U);
  const LeverResult& limit = levers->front();
  EXPECT_EQ(limit.lever.name, "reject the excess load");
  // As many are let in as the bucket is filled for.
  EXPECT_NEAR(limit.line.factor, 75.0 / 140, 0.01);
  EXPECT_EQ(limit.worse.back().what, "turned away %");
  EXPECT_NEAR(limit.worse.back().after, 100 * (1 - 75.0 / 140), 1);
  // Let in more than it serves, and the limit is broken for all: no remedy.
  sheet.forecast->line.at_line->rate_rps = 120;
  const Serve generous = [](const std::vector<std::string>& flags) -> Result<Served> {
    if (!flags.front().starts_with("--admission-policy")) return fail(ErrorKind::usage, "not here");
    Served limited = pool(1);
    Deployment& rules = limited.system.deployment;
    rules.admission = "token-bucket";
    rules.parameters["token-bucket-refill-rate"] = 1'200'000;
    rules.parameters["token-bucket-capacity"] = 1'200'000;
    return limited;
  };
  EXPECT_TRUE(try_levers(request, pool(1), sheet, generous, Execution{})->empty());
}

// 140 requests/s, of which an instance serves 100.
TEST(Levers, is_one_instance_fewer_only_where_it_still_holds) {
  SLOW_SANITIZED();
  const Serve serve = [](const std::vector<std::string>& flags) -> Result<Served> {
    const std::string_view set = "--num-instances=";
    if (!flags.front().starts_with(set)) return fail(ErrorKind::usage, "not here");
    return pool(std::stoi(flags.front().substr(set.size())));
  };
  const auto fewer = [&](std::int64_t instances) -> std::optional<LeverResult> {
    const auto levers =
        try_levers(busy(), pool(instances), sheet_that_holds(1.1), serve, Execution{});
    const auto found = std::ranges::find(*levers, "1 fewer instance",
                                         [](const LeverResult& l) { return l.lever.name; });
    return found == levers->end() ? std::nullopt : std::optional(*found);
  };
  const auto of_three = fewer(3);
  ASSERT_TRUE(of_three);
  EXPECT_GE(of_three->line.factor, 1);
  EXPECT_TRUE(of_three->saves());
  EXPECT_DOUBLE_EQ(*of_three->usd_per_month, -2 * 730);
  EXPECT_FALSE(fewer(2));
  EXPECT_FALSE(fewer(4));  // two are enough, and one fewer is no answer
  const auto levers = try_levers(busy(), pool(4), sheet_that_holds(1.1), serve, Execution{},
                                 {.enough = 3});  // for more than the forecast itself
  EXPECT_EQ(std::ranges::count(*levers, "1 fewer instance",
                               [](const LeverResult& l) { return l.lever.name; }),
            1);
}

TEST(Money, is_what_a_fallback_costs_the_cost_of_the_route_that_falls_back) {
  ForecastRequest request = busy();
  const auto costs = route_costs(request, pool(2), 2);
  ASSERT_EQ(costs.size(), 2U);
  // Of 140 attempts chat makes 135, of the same tokens; two GPUs cost $4 an hour.
  const double usd_per_s = 4.0 / 3600;
  EXPECT_NEAR(costs[0].usd_per_1k_requests, 1000 * usd_per_s * 135 / 140 / 90, 1e-9);
  EXPECT_NEAR(costs[1].usd_per_1k_requests, 1000 * usd_per_s * 5 / 140 / 5, 1e-9);
}

// Where the fleet is too small, the requests of the forecast need and pay a larger one.
TEST(Money, is_a_request_paid_with_the_gpus_that_the_sheet_counts) {
  const ForecastRequest request = busy();
  const auto deployed = route_costs(request, pool(2), 2);
  const auto needed = route_costs(request, pool(2), 4);
  EXPECT_NEAR(needed[0].usd_per_1k_requests, 2 * deployed[0].usd_per_1k_requests, 1e-9);
  EXPECT_TRUE(route_costs(request, pool(2), std::nullopt).empty());
}

TEST(TokenLoad, has_its_true_rate_whatever_grows) {
  const auto flows = flows_of(busy().forecast);
  EXPECT_EQ(token_load(flows, LoadGrowth::rate, {})(50, 10)->rate_rps, 50);
  EXPECT_EQ(token_load(flows, LoadGrowth::answers, {})(2, 10)->rate_rps, 140);
}

// A fifth more on a GPU whose steps nobody has measured may be less, too.
TEST(Levers, gain_only_what_is_beyond_the_errors_of_the_models) {
  LeverResult result;
  result.more = 0.22;
  result.usd_per_month = -100;
  EXPECT_TRUE(result.gains_for_nothing());
  result.more_interval = Interval{-0.1, 0.7};
  EXPECT_FALSE(result.gains());
  EXPECT_FALSE(result.gains_for_nothing());
  result.usd_per_month = 1000;
  EXPECT_FALSE(result.more_per_1k_usd());
  result.more_interval = Interval{0.1, 0.4};
  EXPECT_DOUBLE_EQ(*result.more_per_1k_usd(), 0.22);
}

TEST(Levers, do_errors_of_two_gpus_add_up_and_that_of_one_is_common) {
  SLOW_SANITIZED();
  Served now = pool(2);
  now.model_error = ModelError{};
  now.model_error->step = 0.06;
  Served other = now;
  other.gpu = "A100-80";
  other.model_error->step = 0.08;
  const ForecastRequest request = busy();
  const auto headroom = find_headroom(request, now, Execution{});
  ASSERT_TRUE(headroom);
  // Steps with an 8-bit cache are known less well: so much is not common to both.
  Served narrow = now;
  narrow.model_error->step = 0.1;
  narrow.system.deployment.main().engine.total_kv_blocks *= 2;
  const Serve serve = [&](const std::vector<std::string>& flags) -> Result<Served> {
    if (flags[0].starts_with("--kv-cache")) return narrow;
    return flags[0].starts_with("--hardware") ? other : now;
  };
  now.cheaper_gpus = {"A100-80"};
  const auto levers = try_levers(request, now, *headroom, serve, Execution{});
  ASSERT_TRUE(levers);
  for (const LeverResult& lever : *levers) {
    const bool is_other = lever.lever.name.starts_with("A100-80");
    const bool is_narrow = lever.lever.kind == LeverKind::smaller_cache;
    ASSERT_EQ(lever.more_interval.has_value(), is_other || is_narrow) << lever.lever.name;
    const double held = lever.line.factor;
    if (is_narrow) {
      EXPECT_NEAR(lever.more_interval->high - lever.more, held * (std::exp(0.08) - 1), 0.02 * held);
    }
    if (!is_other) continue;
    // Errors of the TTFT widen it, as they do that of what is deployed.
    EXPECT_GE(lever.more_interval->high - lever.more, held * (std::exp(0.1) - 1) - 1e-9);
  }
}

// One instance of another kind does not hold what two of today's do: how many of them would?
TEST(Levers, counts_a_migration_what_the_forecast_needs) {
  SLOW_SANITIZED();
  const auto request = parse_forecast_request(
      std::string(kBusy) + "migrations: {other: {deployment: {model: m}}}\n", "f.yaml");
  ASSERT_TRUE(request);
  const Serve serve = [](const std::vector<std::string>&) -> Result<Served> { return pool(1); };
  const auto levers = try_levers(*request, pool(2), sheet_that_holds(1.2), serve, Execution{},
                                 {.only_migrations = true});
  ASSERT_TRUE(levers);
  ASSERT_EQ(levers->size(), 1U);
  const LeverResult& lever = levers->front();
  EXPECT_EQ(lever.gpus, 1);
  ASSERT_TRUE(lever.gpus_needed);
  EXPECT_GE(*lever.gpus_needed, std::ceil(1 / lever.line.interval.high));
  EXPECT_LE(*lever.gpus_needed, std::ceil(1 / lever.line.interval.low) + 1);
  EXPECT_DOUBLE_EQ(*lever.usd_for_needed, *lever.gpus_needed * 2 * 730);
}

TEST(Levers, carries_a_migration_the_errors_of_both_models_and_a_doubt_about_its_answers) {
  SLOW_SANITIZED();
  const auto request =
      parse_forecast_request(std::string(kBusy) +
                                 "migrations: {smaller: {deployment: {quantization: fp8}},\n"
                                 "  judged: {deployment: {model: m}, quality: as good}}\n",
                             "f.yaml");
  ASSERT_TRUE(request);
  const auto measured = [](std::int64_t instances) {
    Served served = pool(instances);
    served.model_error = ModelError{};
    served.model_error->step = 0.1;
    return served;
  };
  const Serve serve = [&](const std::vector<std::string>& flags) -> Result<Served> {
    EXPECT_TRUE(flags.front() == "--quantization=fp8" || flags.front() == "--model=m");
    return measured(4);
  };
  const auto levers = try_levers(*request, measured(2), sheet_that_holds(1.2), serve, Execution{},
                                 {.only_migrations = true});
  ASSERT_TRUE(levers);
  ASSERT_EQ(levers->size(), 2U);
  for (const LeverResult& lever : *levers) {
    EXPECT_EQ(lever.lever.changes_answers, lever.lever.name == "smaller");
    EXPECT_DOUBLE_EQ(*lever.usd_per_month, 2 * 2 * 730);
    ASSERT_TRUE(lever.more_interval);
    EXPECT_LT(lever.more_interval->low, lever.more);
    EXPECT_GT(lever.more_interval->high, lever.more);
  }
}

}  // namespace
}  // namespace plimsoll
