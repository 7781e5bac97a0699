// Do transfers take as long as their bytes and the others at their ports let them?
#include "cluster/kv_links.h"

#include <gtest/gtest.h>

#include <map>

namespace plimsoll {
namespace {

/// When each transfer arrives, with nothing else happening.
std::map<std::uint32_t, Time> arrivals(KvLinks& links) {
  std::map<std::uint32_t, Time> at;
  while (links.next_event() != kNever) {
    const Time now = links.next_event();
    const KvLinks::Ended ended = links.run_event(now);
    if (ended.any) at[ended.row] = now;
  }
  return at;
}

/// None of them was sent while they were computed.
KvLinks::Bytes whole(double bytes) { return {bytes, bytes}; }

KvTransfer one_byte_a_ns() {
  KvTransfer rules;
  rules.gb_per_s = 1;
  rules.latency = nanoseconds(100);
  return rules;
}

TEST(KvLinks, alone_a_transfer_takes_latency_and_bytes_over_bandwidth) {
  KvLinks links(one_byte_a_ns(), true, 2);
  links.start(Time{50}, 7, 0, 1, whole(1000));
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{7, Time{1150}}}));
  EXPECT_EQ(links.record().ended, 1);
  EXPECT_EQ(links.record().time.ns, 1100);
}

// Processor sharing: n equal flows that begin together end together, n times as late; of unequal
// ones the small one ends when it would if all were as small.
TEST(KvLinks, at_one_port_share_it_evenly_at_each_moment) {
  KvLinks equal(one_byte_a_ns(), true, 5);
  for (std::uint32_t row = 0; row < 4; ++row) equal.start(Time{}, row, row, 4, whole(1000));
  for (const auto& [row, at] : arrivals(equal)) EXPECT_EQ(at, Time{4100}) << row;

  KvLinks unequal(one_byte_a_ns(), true, 3);
  unequal.start(Time{}, 0, 0, 2, whole(1000));
  unequal.start(Time{}, 1, 1, 2, whole(4000));
  EXPECT_EQ(arrivals(unequal), (std::map<std::uint32_t, Time>{{0, Time{2100}}, {1, Time{5100}}}));
}

TEST(KvLinks, one_that_begins_later_slows_the_others_from_then_on) {
  KvLinks links(one_byte_a_ns(), true, 3);
  links.start(Time{}, 0, 0, 2, whole(1000));
  links.start(Time{600}, 1, 1, 2, whole(1000));  // 400 are left of the first: they take 800
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{0, Time{1500}}, {1, Time{2100}}}));
}

TEST(KvLinks, of_different_ports_do_not_disturb_each_other) {
  KvLinks links(one_byte_a_ns(), true, 4);
  links.start(Time{}, 0, 0, 2, whole(1000));
  links.start(Time{}, 1, 1, 3, whole(1000));
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{0, Time{1100}}, {1, Time{1100}}}));
}

TEST(KvLinks, one_that_is_given_up_leaves_its_share_to_the_others) {
  KvLinks links(one_byte_a_ns(), true, 3);
  links.start(Time{}, 0, 0, 2, whole(1000));
  links.start(Time{}, 1, 1, 2, whole(1000));
  links.cancel(Time{1000}, 1);  // the first has 500 left
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{0, Time{1600}}}));
  EXPECT_EQ(links.record().given_up, 1);
}

TEST(KvLinks, all_bytes_count_and_those_that_are_left_take_time) {
  KvLinks links(one_byte_a_ns(), true, 2);
  links.start(Time{}, 0, 0, 1, {.all = 1000, .left = 100});
  EXPECT_EQ(arrivals(links).at(0), Time{200});
  EXPECT_EQ(links.record().bytes, 1000);
  EXPECT_EQ(links.record().begun_bytes, 1000);
}

TEST(KvLinks, in_the_reference_keep_the_share_that_they_began_with) {
  KvTransfer rules;  // 25 GB/s, 50 us
  for (const bool shared : {false, true}) {
    rules.shared = shared;
    KvLinks links(rules, false, 2);
    links.start(Time{}, 0, 0, 1, whole(25e6));
    links.start(Time{}, 1, 0, 1, whole(25e6));
    const auto at = arrivals(links);
    EXPECT_EQ(at.at(0).ns, 1'050'000);
    EXPECT_EQ(at.at(1).ns, shared ? 2'050'000 : 1'050'000);
  }
}

}  // namespace
}  // namespace plimsoll
