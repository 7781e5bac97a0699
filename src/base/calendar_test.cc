#include "base/calendar.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr std::int64_t kHour = 3600;

TEST(Calendar, are_moments_read_as_iso_8601_writes_them) {
  const struct {
    const char* text;
    std::int64_t local_s;
    std::optional<std::int64_t> offset_s;
  } cases[] = {
      {"1970-01-01", 0, std::nullopt},
      {"1970-01-01T00:00Z", 0, 0},
      {"2026-11-22T04:00:00Z", 1'795'320'000, 0},
      {"2026-11-22 04:00", 1'795'320'000, std::nullopt},
      {"2026-11-22T05:00+01:00", 1'795'323'600, kHour},
      {"2026-11-22T05:00+0100", 1'795'323'600, kHour},
      {"2026-11-22T05:00-08", 1'795'323'600, -8 * kHour},
      {"2026-11-22T09:30:00+05:30", 1'795'339'800, 5 * kHour + kHour / 2},
      {"2024-02-29T00:00Z", 1'709'164'800, 0},
      {"2200-12-31T23:59:59Z", 7'289'654'399, 0},
  };
  for (const auto& [text, local_s, offset_s] : cases) {
    const auto time = parse_written_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->local_ns, local_s * 1'000'000'000) << text;
    EXPECT_EQ(time->offset_ns.has_value(), offset_s.has_value()) << text;
    EXPECT_EQ(time->offset_ns.value_or(0), offset_s.value_or(0) * 1'000'000'000) << text;
  }
  EXPECT_EQ(parse_written_time("1970-01-01T00:00:01.25Z")->local_ns, 1'250'000'000);
}

TEST(Calendar, is_everything_else_refused) {
  for (const char* text : {"",
                           "12",
                           "2026",
                           "2026-11",
                           "2026-13-01",
                           "2026-02-29",
                           "2026-11-31",
                           "1969-12-31",
                           "2201-01-01",
                           "2026-11-22T",
                           "2026-11-22T24:00Z",
                           "2026-11-22T04",
                           "2026-11-22T04:60Z",
                           "2026-11-22T04:00:60Z",
                           "2026-11-22T04:00:00.Z",
                           "2026-11-22T04:00:00.1234567890Z",
                           "2026-11-22T04:00Zx",
                           "2026-11-22T04:00 +01:00",
                           "2026-11-22T04:00+1",
                           "2026-11-22Z",
                           "2026-11-22T04:00+01:",
                           "2026-11-22T04:00+15:00",
                           "2026-11-22T0x:00",
                           "22.11.2026 04:00"}) {
    EXPECT_FALSE(parse_written_time(text)) << text;
  }
}

TEST(Calendar, are_moments_written_so_that_they_read_back) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00Z");
  EXPECT_EQ(iso_time(1'795'320'000), "2026-11-22T04:00Z");
  EXPECT_EQ(iso_time(1'709'164'799), "2024-02-28T23:59:59Z");
  EXPECT_EQ(iso_time(-1), "-1");
  EXPECT_EQ(iso_time(253'402'300'799), "9999-12-31T23:59:59Z");
  EXPECT_EQ(iso_time(1e300), "1e+300");
  for (std::int64_t day = 0; day < 84'000; day += 17) {
    const auto time = parse_written_time(iso_time(static_cast<double>(day * 86'400)));
    ASSERT_TRUE(time);
    EXPECT_EQ(time->local_ns, day * 86'400 * 1'000'000'000);
  }
}

}  // namespace
}  // namespace plimsoll
