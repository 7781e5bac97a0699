#include "random/stream.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr auto kNoPurpose = static_cast<Purpose>(0);

// The known answer for philox4x32-10 with counter and key zero, as published with Random123.
TEST(RandomStream, are_the_bits_those_of_philox4x32_10) {
  RandomStream stream(0, kNoPurpose, 0);
  EXPECT_EQ(stream.bits(), 0xe169c58d6627e8d5u);
  EXPECT_EQ(stream.bits(), 0x9b00dbd8bc57ac4cu);
}

TEST(RandomStream, does_a_request_draw_the_same_whatever_was_drawn_before) {
  RandomStream first(42, Purpose::arrival, 17);
  RandomStream other(42, Purpose::arrival, 16);
  for (int i = 0; i < 5; ++i) other.bits();
  RandomStream again(42, Purpose::arrival, 17);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(first.bits(), again.bits()) << i;
}

TEST(RandomStream, do_seed_purpose_and_index_each_name_another_stream) {
  const auto first_bits = [](std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    return RandomStream(seed, purpose, index).bits();
  };
  const std::uint64_t base = first_bits(42, Purpose::arrival, 17);
  constexpr std::uint64_t kHighBit = std::uint64_t{1} << 63;
  EXPECT_NE(base, first_bits(43, Purpose::arrival, 17));
  EXPECT_NE(base, first_bits(42 | kHighBit, Purpose::arrival, 17));
  EXPECT_NE(base, first_bits(42, Purpose::prompt_length, 17));
  EXPECT_NE(base, first_bits(42, Purpose::arrival, 18));
  EXPECT_NE(base, first_bits(42, Purpose::arrival, 17 | kHighBit));
}

TEST(RandomStream, are_the_uniforms_the_same_to_the_last_digit_as_ever) {
  RandomStream stream(42, Purpose::arrival, 0);
  EXPECT_EQ(stream.uniform(), 0.49120127602043595);
  EXPECT_EQ(stream.uniform(), 0.41673302165864079);
  EXPECT_EQ(stream.uniform(), 0.40821836845317538);
}

TEST(RandomStream, do_uniforms_stay_inside_the_open_interval_and_average_one_half) {
  constexpr int kUniforms = 100'000;
  double sum = 0;
  for (std::uint64_t i = 0; i < kUniforms; ++i) {
    const double u = RandomStream(1, Purpose::arrival, i).uniform();
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / kUniforms, 0.5, 4 * 0.2887 / 316);  // four standard errors
}

}  // namespace
}  // namespace plimsoll
