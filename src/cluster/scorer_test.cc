#include "cluster/scorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

Deployment four_instances() {
  Deployment deployment;
  deployment.main().num_instances = 4;
  return deployment;
}

std::vector<double> scores_by(std::string_view name, const InstanceViews& views) {
  const auto scorer = make_scorer(name, four_instances());
  std::vector<double> scores(views.size());
  scorer->score(Request{}, views, scores);
  return scores;
}

InstanceViews busy_views() {
  InstanceViews views(4);
  views.queue_depth = {0, 10, 4, 0};
  views.batch_size = {3, 8, 0, 1};
  views.kv_utilization = {0.25, 1, 0, 0.5};
  views.in_flight = {3, 20, 5, 0};
  views.cached_blocks = {2, 0, 6, 1};
  return views;
}

// Worked by hand from the formulas in docs/explanation/routing.md.
TEST(Scorers, give_what_their_formulas_say) {
  const InstanceViews views = busy_views();
  EXPECT_THAT(scores_by("queue-depth", views), ElementsAre(1, 0, 0.6, 1));
  EXPECT_THAT(scores_by("kv-utilization", views), ElementsAre(0.75, 0, 1, 0.5));
  EXPECT_THAT(scores_by("load-balance", views), ElementsAre(1.0 / 7, 1.0 / 39, DoubleEq(0.1), 0.5));
  EXPECT_THAT(scores_by("active-requests", views), ElementsAre(0.85, 0, 0.75, 1));
  EXPECT_THAT(scores_by("running-requests", views), ElementsAre(0.625, 0, 1, 0.875));
  EXPECT_THAT(scores_by("load-aware", views),
              ElementsAre(0.5, 0.5 * (1 - 10 / 128.0), 0.5 * (1 - 4 / 128.0), 0.5));
  EXPECT_THAT(scores_by("vllm-dp", views),
              ElementsAre(45 / 47.0, 0, 32 / 47.0, 1));  // 3, 48, 16, 1
  EXPECT_THAT(scores_by("precise-prefix-cache", views), ElementsAre(2 / 6.0, 0, 1, 1 / 6.0));
}

TEST(Scorers, tell_no_difference_where_there_is_none) {
  const InstanceViews idle(4);
  for (const char* name : {"queue-depth", "kv-utilization", "load-balance", "active-requests",
                           "running-requests", "vllm-dp", "precise-prefix-cache"}) {
    EXPECT_THAT(scores_by(name, idle), ElementsAre(1, 1, 1, 1)) << name;
  }
  EXPECT_THAT(scores_by("load-aware", idle), ElementsAre(0.5, 0.5, 0.5, 0.5));
  EXPECT_THAT(scores_by("prefix-affinity", idle), ElementsAre(0, 0, 0, 0));
}

TEST(Scorers, count_no_more_than_128_waiting_requests) {
  InstanceViews views(4);
  views.queue_depth = {64, 128, 129, 100'000};
  EXPECT_THAT(scores_by("load-aware", views), ElementsAre(0.25, 0, 0, 0));
}

TEST(Scorers, send_cold_prompts_to_whoever_had_none_for_longest) {
  const auto scorer = make_scorer("no-hit-lru", four_instances());
  const InstanceViews cold(4);
  std::vector<double> scores(4);
  const auto route = [&](const InstanceViews& views, std::size_t to) {
    scorer->score(Request{}, views, scores);
    scorer->routed(Request{}, views, to);
    return scores;
  };
  EXPECT_THAT(route(cold, 2), ElementsAre(1, DoubleEq(2 / 3.0), DoubleEq(1 / 3.0), 0));
  EXPECT_THAT(route(cold, 0), ElementsAre(1, DoubleEq(2 / 3.0), 0, DoubleEq(1 / 3.0)));
  InstanceViews warm(4);
  warm.cached_blocks[3] = 1;
  EXPECT_THAT(route(warm, 1), ElementsAre(0.5, 0.5, 0.5, 0.5));  // and is not remembered
  EXPECT_THAT(route(cold, 1), ElementsAre(0, 1, DoubleEq(1 / 3.0), DoubleEq(2 / 3.0)));
}

TEST(Scorers, remember_where_a_prefix_went) {
  Deployment deployment = four_instances();
  deployment.main().engine.block_size = 16;
  deployment.main().engine.total_kv_blocks = 1000;
  const auto scorer = make_scorer("prefix-affinity", deployment);
  const InstanceViews views(4);
  const PrefixSegment shared{7, 100};  // 6 full blocks of 16
  Request request;
  request.input_tokens = 170;  // 10 full blocks
  request.prefix = {&shared, 1};
  std::vector<double> scores(4);
  const auto score = [&] {
    scorer->score(request, views, scores);
    return scores;
  };
  EXPECT_THAT(score(), ElementsAre(0, 0, 0, 0));
  scorer->routed(request, views, 1);
  request.own_content = 5;
  EXPECT_THAT(score(), ElementsAre(0, 0.6, 0, 0));
  const PrefixSegment longer{7, 150};  // the same content, longer: 3 more blocks
  request.prefix = {&longer, 1};
  EXPECT_THAT(score(), ElementsAre(0, 0.6, 0, 0));
  scorer->routed(request, views, 2);
  EXPECT_THAT(score(), ElementsAre(0, 0.6, 0.9, 0));
  request.input_tokens = 15;  // less than a block
  request.prefix = {};
  EXPECT_THAT(score(), ElementsAre(0, 0, 0, 0));
}

TEST(Scorers, remember_as_many_blocks_as_a_cache_holds_unless_told) {
  for (const std::int64_t memory : {0, 20}) {
    Deployment deployment = four_instances();
    deployment.main().engine.block_size = 16;
    deployment.main().engine.total_kv_blocks = 12;
    deployment.router_memory_blocks = memory;
    const auto scorer = make_scorer("prefix-affinity", deployment);
    const InstanceViews views(4);
    const PrefixSegment first{7, 96};  // 6 blocks
    Request request;
    request.input_tokens = 160;  // 10 blocks
    request.prefix = {&first, 1};
    const PrefixSegment second{8, 96};
    Request other = request;
    other.prefix = {&second, 1};
    std::vector<double> scores(4);
    for (const Request& one : {request, other}) {
      scorer->score(one, views, scores);
      scorer->routed(one, views, 1);
    }
    scorer->score(request, views, scores);
    EXPECT_EQ(scores[1], memory == 0 ? 0 : 0.6);
    scorer->score(other, views, scores);
    EXPECT_EQ(scores[1], 0.6);
  }
}

TEST(ParseScorers, reads_what_it_writes) {
  const auto parsed = parse_scorers("prefix-affinity:5,queue-depth:0.25");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(scorers_text(*parsed), "prefix-affinity:5,queue-depth:0.25");
  ASSERT_TRUE(parse_scorers(scorers_text(default_scorers())));
  for (const ScorerRow& row : scorers()) EXPECT_TRUE(parse_scorers(row.name + ":1")) << row.name;
}

TEST(ParseScorers, says_what_is_wrong_with) {
  const std::pair<const char*, const char*> bad[] = {
      {"", "has an empty entry"},
      {",", "has an empty entry"},
      {"queue-depth:1,", "has an empty entry"},
      {",queue-depth:1", "has an empty entry"},
      {"queue-depth:1,,load-balance:1", "has an empty entry"},
      {"queue-depth", "needs a weight for queue-depth"},
      {"queue-depth=1", "has no scorer \"queue-depth=1\""},
      {"queue-depth:", "not \"\""},
      {"queue-depth:0", "greater than 0"},
      {"queue-depth:-1", "not \"-1\""},
      {"queue-depth:one", "not \"one\""},
      {"queue-depth:1x", "not \"1x\""},
      {"queue-depth:nan", "not \"nan\""},
      {"queue-depth:inf", "not \"inf\""},
      {"queue-depth:1e300", "at most 1e9"},
      {"queue-depth:1:2", "not \"1:2\""},
      {"queue-depth:0x1", "not \"0x1\""},
      {"queue-depth: 1", "not \" 1\""},
      {" queue-depth:1", "has no scorer \" queue-depth\""},
      {"Queue-Depth:1", "has no scorer \"Queue-Depth\""},
      {"queue-depth:1;load-balance:1", "not \"1;load-balance:1\""},
      {"queue-depth:1,queue-depth:1", "names queue-depth twice"},
      {"lora-affinity:1", "LoRA adapters are not supported yet"},
      {":1", "has no scorer \"\""},
  };
  for (const auto& [text, message] : bad) {
    const auto parsed = parse_scorers(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().diagnostics.front().message, HasSubstr(message)) << text;
    EXPECT_FALSE(parsed.error().diagnostics.front().hint.empty()) << text;
  }
}

TEST(Scorers, by_load_for_speed_compare_unlike_instances) {
  InstanceViews views(4);
  views.speed = {1, 1, 0.5, 0.25};
  views.in_flight = {6, 2, 0, 0};  // 8, 4, 4 and 8
  EXPECT_THAT(scores_by("load-for-speed", views), ElementsAre(0, 1, 1, 0));
}

}  // namespace
}  // namespace plimsoll
