// Do transfers take as long as their bytes and the others at their ports let them?
#include "cluster/kv_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

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

/// From port to port, as many bytes of each GPU on both sides.
KvLinks::Load load(std::size_t from, std::size_t to, double bytes) {
  KvLinks::Load what;
  what.from = from;
  what.to = to;
  what.sent = what.received = bytes;
  return what;
}

std::vector<double> ports(const KvTransfer& rules, std::size_t n) {
  return std::vector<double>(n, rules.gb_per_s);
}

KvTransfer one_byte_a_ns() {
  KvTransfer rules;
  rules.gb_per_s = 1;
  rules.latency = nanoseconds(100);
  return rules;
}

TEST(KvLinks, alone_a_transfer_takes_latency_and_bytes_over_bandwidth) {
  KvLinks links(one_byte_a_ns(), true, ports(one_byte_a_ns(), 2));
  links.start(Time{50}, 7, load(0, 1, 1000));
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{7, Time{1150}}}));
  EXPECT_EQ(links.record().ended, 1);
  EXPECT_EQ(links.record().time.ns, 1100);
}

// Processor sharing: n equal flows that begin together end together, n times as late; of unequal
// ones the small one ends when it would if all were as small.
TEST(KvLinks, at_one_port_share_it_evenly_at_each_moment) {
  KvLinks equal(one_byte_a_ns(), true, ports(one_byte_a_ns(), 5));
  for (std::uint32_t row = 0; row < 4; ++row) equal.start(Time{}, row, load(row, 4, 1000));
  for (const auto& [row, at] : arrivals(equal)) EXPECT_EQ(at, Time{4100}) << row;

  KvLinks unequal(one_byte_a_ns(), true, ports(one_byte_a_ns(), 3));
  unequal.start(Time{}, 0, load(0, 2, 1000));
  unequal.start(Time{}, 1, load(1, 2, 4000));
  EXPECT_EQ(arrivals(unequal), (std::map<std::uint32_t, Time>{{0, Time{2100}}, {1, Time{5100}}}));
}

TEST(KvLinks, one_that_begins_later_slows_the_others_from_then_on) {
  KvLinks links(one_byte_a_ns(), true, ports(one_byte_a_ns(), 3));
  links.start(Time{}, 0, load(0, 2, 1000));
  links.start(Time{600}, 1, load(1, 2, 1000));  // 400 are left of the first: they take 800
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{0, Time{1500}}, {1, Time{2100}}}));
}

TEST(KvLinks, of_different_ports_do_not_disturb_each_other) {
  KvLinks links(one_byte_a_ns(), true, ports(one_byte_a_ns(), 4));
  links.start(Time{}, 0, load(0, 2, 1000));
  links.start(Time{}, 1, load(1, 3, 1000));
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{0, Time{1100}}, {1, Time{1100}}}));
}

TEST(KvLinks, one_that_is_given_up_leaves_its_share_to_the_others) {
  KvLinks links(one_byte_a_ns(), true, ports(one_byte_a_ns(), 3));
  links.start(Time{}, 0, load(0, 2, 1000));
  links.start(Time{}, 1, load(1, 2, 1000));
  links.cancel(Time{1000}, 1);  // the first has 500 left
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{0, Time{1600}}}));
  EXPECT_EQ(links.record().given_up, 1);
}

// A prompt on four GPUs: each sends a quarter of what the one GPU that answers receives, so that
// four transfers of other answers leave the port of the prompts as fast as one does.
TEST(KvLinks, are_as_many_as_the_gpus_of_each_side) {
  KvLinks links(one_byte_a_ns(), true, ports(one_byte_a_ns(), 6));
  for (std::uint32_t row = 0; row < 4; ++row) {
    KvLinks::Load quarter = load(0, 1 + row, 1000);
    quarter.sent = 250;
    links.start(Time{}, row, quarter);
  }
  for (const auto& [row, at] : arrivals(links)) EXPECT_EQ(at, Time{1100}) << row;
  EXPECT_EQ(links.record().bytes.sent, 1000);
  EXPECT_EQ(links.record().bytes.received, 4000);
}

// A port of 4 bytes a nanosecond and one of 1, with the same prompts for an answer at 2: alone the
// slower side decides, together the port of the answer, half of which is less than 1 only for the
// fast one.
TEST(KvLinks, of_unlike_pools_are_as_fast_as_the_slower_side_lets_them) {
  for (const std::uint32_t from : {0U, 1U}) {
    KvLinks alone(one_byte_a_ns(), true, {4, 1, 2});
    alone.start(Time{}, 0, load(from, 2, 1000));
    EXPECT_EQ(arrivals(alone).at(0), Time{from == 0 ? 500 + 100 : 1000 + 100});
  }
  KvLinks links(one_byte_a_ns(), true, {4, 1, 2});
  links.start(Time{}, 0, load(0, 2, 1000));
  links.start(Time{}, 1, load(1, 2, 1000));
  // The slow one needs its own port as long as half of the answer's: nothing delays it.
  EXPECT_EQ(arrivals(links), (std::map<std::uint32_t, Time>{{0, Time{1100}}, {1, Time{1100}}}));
  EXPECT_EQ(links.record().begun_at_port, (std::vector<double>{1000, 1000, 2000}));
}

// Two GPUs at the answer receive 500 bytes each; the network carries 1,000 of each transfer.
TEST(KvLinks, share_the_network_between_all_ports) {
  KvTransfer rules = one_byte_a_ns();
  rules.network_gb_per_s = 4;
  const auto last_of = [&](std::uint32_t transfers) {
    KvLinks links(rules, true, ports(rules, 16));
    for (std::uint32_t row = 0; row < transfers; ++row) {
      KvLinks::Load what = load(row, 8 + row, 500);
      what.whole = 1000;
      links.start(Time{}, row, what);
    }
    Time last;
    for (const auto& [row, at] : arrivals(links)) last = std::max(last, at);
    return last;
  };
  EXPECT_EQ(last_of(1), Time{500 + 100});
  EXPECT_EQ(last_of(2), Time{500 + 100});
  EXPECT_EQ(last_of(8), Time{2000 + 100});  // 8 x 1,000 bytes over 4 a nanosecond
}

KvTransfer by_layer() {
  KvTransfer rules = one_byte_a_ns();
  rules.layerwise = true;
  rules.layers = 10;
  return rules;
}

TEST(KvLinks, send_layers_while_the_prompt_is_computed) {
  KvLinks links(by_layer(), true, ports(by_layer(), 2));
  KvLinks::Load what = load(0, 1, 1000);
  what.computed = Time{5000};
  what.prefill = nanoseconds(600);
  links.start(Time{5000}, 0, what);
  EXPECT_EQ(arrivals(links).at(0), Time{5000 + 400 + 100});
  EXPECT_EQ(links.record().bytes.sent, 1000);

  what.computed = Time{90'000};
  what.prefill = nanoseconds(9'000);
  links.start(Time{90'000}, 1, what);  // the last layer cannot be sent before it is there
  EXPECT_EQ(arrivals(links).at(1), Time{90'000 + 100 + 100});
}

// Four prompts are computed at once, each for as long as its bytes take; one port receives them
// all.
TEST(KvLinks, send_no_more_layers_ahead_than_a_port_takes) {
  KvLinks links(by_layer(), true, ports(by_layer(), 5));
  for (std::uint32_t row = 0; row < 4; ++row) {
    KvLinks::Load what = load(row, 4, 1000);
    what.computed = Time{1000};
    what.prefill = nanoseconds(1000);
    links.start(Time{1000}, row, what);
  }
  Time last;
  for (const auto& [row, at] : arrivals(links)) last = std::max(last, at);
  EXPECT_EQ(last, Time{4100 + 100});  // 4,000 bytes from 0 on, but the last layer of the first
}

// A short prompt on one instance ends before a long one on another: what it sent is not in the way
// of layers that went before it began.
TEST(KvLinks, send_layers_ahead_of_those_of_other_ports) {
  KvLinks links(by_layer(), true, ports(by_layer(), 4));
  KvLinks::Load brief = load(0, 2, 100);
  brief.computed = Time{1000};
  brief.prefill = nanoseconds(100);
  links.start(Time{1000}, 0, brief);
  KvLinks::Load lengthy = load(1, 3, 1000);
  lengthy.computed = Time{1000};
  lengthy.prefill = nanoseconds(1000);
  links.start(Time{1000}, 1, lengthy);
  EXPECT_EQ(arrivals(links),
            (std::map<std::uint32_t, Time>{{0, Time{1010 + 100}}, {1, Time{1100 + 100}}}));
}

TEST(KvLinks, in_the_reference_keep_the_share_that_they_began_with) {
  KvTransfer rules;  // 25 GB/s, 50 us
  for (const bool shared : {false, true}) {
    rules.shared = shared;
    KvLinks links(rules, false, ports(rules, 2));
    links.start(Time{}, 0, load(0, 1, 25e6));
    links.start(Time{}, 1, load(0, 1, 25e6));
    const auto at = arrivals(links);
    EXPECT_EQ(at.at(0).ns, 1'050'000);
    EXPECT_EQ(at.at(1).ns, shared ? 2'050'000 : 1'050'000);
  }
}

}  // namespace
}  // namespace plimsoll
