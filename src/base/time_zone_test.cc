#include "base/time_zone.h"

#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMarch29 = 1'774'746'000;    // 2026-03-29T01:00Z, clocks of Europe go on
constexpr std::int64_t kOctober25 = 1'792'890'000;  // 2026-10-25T01:00Z, and back

TEST(TimeZone, do_clocks_change_when_they_should) {
  const TimeZone berlin = TimeZone::named("Europe/Berlin").value();
  EXPECT_EQ(berlin.offset_at(kMarch29 - 1), 3600);
  EXPECT_EQ(berlin.offset_at(kMarch29), 7200);
  EXPECT_EQ(berlin.offset_at(kOctober25 - 1), 7200);
  EXPECT_EQ(berlin.offset_at(kOctober25), 3600);
  EXPECT_EQ(TimeZone::named("Asia/Kolkata").value().offset_at(kMarch29), 19'800);
  EXPECT_EQ(TimeZone::named("UTC").value().offset_at(kMarch29), 0);
}

TEST(TimeZone, is_an_hour_skipped_and_one_repeated) {
  const TimeZone berlin = TimeZone::named("Europe/Berlin").value();
  EXPECT_THAT(berlin.moments_of(kMarch29 + 3600 + 1800), IsEmpty());  // 02:30
  EXPECT_THAT(berlin.moments_of(kOctober25 + 3600 + 1800),            // 02:30
              ElementsAre(kOctober25 - 1800, kOctober25 + 1800));
  EXPECT_THAT(berlin.moments_of(kMarch29 + 7200), ElementsAre(kMarch29));
}

// As libc has it, in all years that a table has and in later ones, north and south.
TEST(TimeZone, does_libc_agree) {
  for (const char* name : {"Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Tokyo",
                           "America/Sao_Paulo", "Africa/Casablanca", "Europe/Dublin"}) {
    const TimeZone zone = TimeZone::named(name).value();
    setenv("TZ", name, 1);
    tzset();
    for (std::time_t time = 0; time < 3'000'000'000; time += 1'000'003) {
      std::tm local{};
      localtime_r(&time, &local);
      ASSERT_EQ(zone.offset_at(time), local.tm_gmtoff) << name << " at " << time;
    }
  }
  unsetenv("TZ");
  tzset();
}

// A table that ends long ago, as compact databases have it: the rule goes on.
TEST(TimeZone, does_a_rule_hold_for_later_years) {
  std::string file("TZif2");
  file.append(15, '\0');
  file.append(std::string("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4", 24));
  file.append(std::string("\0\0\0\0\0\0XXX", 10));
  std::string second = file;
  file += second + "\nEST5EDT,M3.2.0,M11.1.0\n";
  const auto zone = TimeZone::parse(file);
  ASSERT_TRUE(zone) << format(zone.error());
  const TimeZone new_york = TimeZone::named("America/New_York").value();
  for (std::int64_t time = 1'300'000'000; time < 2'000'000'000; time += 777'777)
    ASSERT_EQ(zone->offset_at(time), new_york.offset_at(time)) << time;
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(TimeZone::parse(std::string_view(file).substr(0, size))) << size;
}

TEST(TimeZone, is_an_unknown_zone_told_with_the_nearest) {
  const auto zone = TimeZone::named("Europe/Berln");
  ASSERT_FALSE(zone);
  EXPECT_THAT(format(zone.error()), HasSubstr("did you mean \"Europe/Berlin\"?"));
  EXPECT_FALSE(TimeZone::named("../../../etc/passwd"));
  EXPECT_FALSE(TimeZone::named("tzdata.zi"));
}

}  // namespace
}  // namespace plimsoll
