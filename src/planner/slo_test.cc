#include "planner/slo.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

std::string fault_of(const char* text) {
  const auto slos = parse_slos("--slo", text);
  return slos ? "" : slos.error().diagnostics.front().message;
}

TEST(Slo, is_read_from_what_people_write) {
  const auto slos = parse_slos("--slo", "ttft_p99<500ms,tbt_p95<=50ms,critical:latency_mean<2s");
  ASSERT_TRUE(slos);
  ASSERT_EQ(slos->size(), 3U);
  EXPECT_EQ((*slos)[0].metric, &GroupSummary::ttft);
  EXPECT_EQ((*slos)[0].percentile, 99);
  EXPECT_EQ((*slos)[0].limit, milliseconds(500));
  EXPECT_EQ((*slos)[1].metric, &GroupSummary::itl);
  EXPECT_EQ((*slos)[2].slo_class, SloClass::critical);
  EXPECT_FALSE((*slos)[2].percentile);
  EXPECT_EQ(text_of((*slos)[1]), "itl_p95<50ms");
  EXPECT_EQ(key_of((*slos)[2]), "critical:e2e_mean_ms");
  EXPECT_EQ(title_of((*slos)[2]), "E2E mean of critical < 2 s");
}

TEST(Slo, takes_equals_signs_spaces_and_capital_letters) {
  for (const char* text :
       {"ttft_p99<=500ms", "ttft_p99=500ms", "ttft_p99 < 500 ms", "p99_ttft<500ms",
        "p99 TTFT < 500 ms", "ttft_p99_ms<500ms", "ttft_p99_ms<500", "p99_ttft_ms<500ms",
        "TTFT_P99<500MS", "TTFT p99 < 500 ms", " ttft_p99  <=  0.5 s "}) {
    const auto slos = parse_slos("--slo", text);
    ASSERT_TRUE(slos) << text;
    EXPECT_EQ(text_of(slos->front()), "ttft_p99<500ms") << text;
  }
  const auto several = parse_slos("--slo", "Chat, Critical : E2E mean < 2 s");
  ASSERT_TRUE(several);
  EXPECT_EQ(several->size(), 3U);
  EXPECT_EQ(text_of(several->back()), "critical:e2e_mean<2s");
}

TEST(Slo, reads_its_own_text_again) {
  for (const char* text : {"ttft_p99<500ms", "e2e_p99.9<1.5s", "batch:tpot_p50<80ms"}) {
    const auto slos = parse_slos("--slo", text);
    ASSERT_TRUE(slos) << text;
    EXPECT_EQ(text_of(slos->front()), text);
  }
}

TEST(Slo, says_what_is_wrong_with_it) {
  EXPECT_EQ(fault_of("ttft_p99"), "--slo: \"ttft_p99\" has no limit: a \"<\" and a time");
  EXPECT_EQ(fault_of("tftt_p99<1s"), "--slo: unknown metric \"tftt\"");
  EXPECT_EQ(fault_of("ttft<1s"),
            "--slo: \"ttft\" does not say of which percentile, or of the mean");
  EXPECT_EQ(fault_of("ttft_p100<1s"),
            "--slo: \"p100\" is neither mean nor a percentile such as p99");
  EXPECT_EQ(fault_of("ttft_p99<500"),
            "--slo: \"500\" is not a time with its unit (us, ms, s, m, "
            "h) above 0");
  EXPECT_EQ(fault_of("urgent:ttft_p99<1s"), "--slo: unknown SLO class \"urgent\"");
  EXPECT_EQ(fault_of("critical:itl_p99<1s"),
            "--slo: gaps between tokens are not counted by "
            "class");
  EXPECT_EQ(fault_of("TTFT_P95 > 300ms"),
            "--slo: \"ttft_p95>300ms\" is a lower bound; a limit is an upper one");
  EXPECT_EQ(parse_slos("--slo", "TTFT p95 >= 300 ms").error().diagnostics.front().hint,
            "write ttft_p95<300ms");
  EXPECT_EQ(fault_of("throughput>5"), "--slo: \"throughput>5\" is no limit on a latency");
  EXPECT_EQ(fault_of("critical:ttft_p99>1s"),
            "--slo: \"critical:ttft_p99>1s\" is a lower bound; a limit is an upper one");
  EXPECT_EQ(fault_of("ttft_p99<1s,ttft_p99<2s"), "--slo: two limits for TTFT p99");
}

TEST(Slo, presets_are_the_limits_of_their_use_and_give_way_to_what_is_said) {
  const auto chat = parse_slos("test", "chat");
  ASSERT_TRUE(chat && chat->size() == 2);
  EXPECT_EQ(text_of((*chat)[0]), "ttft_p95<1s");
  EXPECT_EQ(text_of((*chat)[1]), "itl_p99<100ms");
  for (const SloPreset& preset : slo_presets()) {
    EXPECT_TRUE(parse_slos("test", preset.limits)) << preset.name;
  }
  const auto own = parse_slos("test", "ttft_p95<300ms,batch");
  ASSERT_TRUE(own);
  ASSERT_EQ(own->size(), 2u);
  EXPECT_EQ(text_of((*own)[0]), "ttft_p95<300ms");
  EXPECT_EQ(text_of((*own)[1]), "itl_p99<500ms");
  EXPECT_FALSE(parse_slos("test", "chat,batch"));
}

}  // namespace
}  // namespace plimsoll
