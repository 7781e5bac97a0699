#include "report/answer/words.h"

#include <gtest/gtest.h>

#include <limits>

namespace plimsoll {
namespace {

TEST(AnswerWords, say_with_how_many_seeds_an_answer_held_and_what_they_measured) {
  const std::vector<Slo> slos = *parse_slos("test", "ttft_p95<2s,itl_p99<200ms");
  LoadProbe held;
  held.slos.resize(2);
  EXPECT_EQ(seeds_text(slos, held), "held with one seed; others may sustain 2 % less");
  held.seeds = 3;
  held.slos[0].over_seeds_ms = Interval{1210, 1900};
  held.slos[1].over_seeds_ms = Interval{21.01, 21.04};
  EXPECT_EQ(seeds_text(slos, held),
            "held with 3 seeds, TTFT p95 1.21 s to 1.90 s, ITL p99 21.0 ms");
}

TEST(AnswerWords, say_what_is_to_spare) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  EXPECT_EQ(headroom_text(200, 214, 230), "214 req/s are sustainable, 7.00 % more than asked for");
  EXPECT_EQ(headroom_text(200, 214, kNone),
            "214 req/s are sustainable, 7.00 % more than asked for");
  EXPECT_EQ(headroom_text(0.01, 12.21, kNone),
            "12.21 req/s are sustainable, 1,220 times what is asked for");
  EXPECT_EQ(headroom_text(200, 200, 214), "no headroom demonstrated; it is below 7.00 %");
  EXPECT_EQ(headroom_text(200, 200, kNone), "no headroom demonstrated");
}

}  // namespace
}  // namespace plimsoll
