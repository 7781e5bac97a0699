#include "catalog/price.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Price offer(const std::string& vendor, const std::string& date, double usd) {
  Price price;
  price.gpu = "H100";
  price.vendor = vendor;
  price.gpus = 1;
  price.commitment = kOnDemand;
  price.usd_per_hour = usd;
  price.date = date;
  return price;
}

std::vector<Price> marked(std::vector<Price> prices) {
  mark_prices(newest_day(prices), &prices);
  return prices;
}

TEST(Offers, the_newest_row_of_a_vendor_stands_and_not_the_lowest) {
  const auto rows = marked({offer("Nebius", "2026-08", 2.9), offer("Nebius", "2026-09-25", 3.9),
                            offer("Lambda", "2026-08", 4.3)});
  EXPECT_FALSE(stands(rows[0]));
  EXPECT_TRUE(stands(rows[1]));
  EXPECT_TRUE(stands(rows[2]));
  EXPECT_THAT(remarks_on(rows[0]), ElementsAre("superseded"));
  EXPECT_THAT(remarks_on(rows[1]), IsEmpty());
}

TEST(Offers, another_shape_region_or_commitment_is_another_offer) {
  Price eight = offer("AWS", "2026-07", 40);
  eight.gpus = 8;
  Price west = offer("AWS", "2026-07", 4);
  west.region = "us-west-2";
  Price spot = offer("AWS", "2026-07", 2);
  spot.commitment = kSpot;
  for (const Price& price : marked({offer("AWS", "2026-09", 5), eight, west, spot})) {
    EXPECT_TRUE(stands(price)) << price.usd_per_hour;
  }
}

// A vendor renames what it sells: what it asked long ago is not what it asks for the same GPU now.
TEST(Offers, an_old_row_gives_way_to_any_newer_shape_of_its_vendor) {
  Price eight = offer("Nebius", "2025", 23.6);
  eight.gpus = 8;
  EXPECT_FALSE(stands(marked({eight, offer("Nebius", "2026-09-25", 3.85)})[0]));
}

// What a vendor asked long ago is no bargain beside what another asks now.
TEST(Offers, an_old_price_stands_only_where_no_newer_one_is_known) {
  const auto rows = marked({offer("GCP", "2025", 0.7), offer("AWS", "2026-09-25", 0.8)});
  EXPECT_FALSE(stands(rows[0]));
  EXPECT_TRUE(stands(rows[1]));
  EXPECT_THAT(remarks_on(rows[0]), ElementsAre("old price"));
  Price spot = offer("AWS", "2026-09-25", 0.3);
  spot.commitment = kSpot;
  EXPECT_TRUE(stands(marked({offer("GCP", "2025", 0.7), spot})[0]));
}

TEST(Offers, age_is_counted_from_the_newest_price_that_is_known) {
  const auto is_old = [](const char* date) {
    return marked({offer("A", date, 1), offer("B", "2026-11-21", 1)})[0].marks.is_old;
  };
  EXPECT_FALSE(is_old("2026-05-25"));  // 180 days
  EXPECT_TRUE(is_old("2026-05-24"));
  EXPECT_TRUE(is_old("2026"));
  EXPECT_FALSE(is_old(""));
  EXPECT_FALSE(marked({offer("A", "2024", 1)})[0].marks.is_old);
}

TEST(Offers, other_than_list_prices_stand_where_there_is_no_list_price) {
  Price community = offer("RunPod", "2026-11-09", 2.69);
  community.kind = "community";
  auto rows = marked({community, offer("RunPod", "2026-11-09", 3.99)});
  EXPECT_FALSE(stands(rows[0]));
  EXPECT_TRUE(stands(rows[1]));
  EXPECT_THAT(remarks_on(rows[0]), ElementsAre("community offer"));
  EXPECT_TRUE(stands(marked({community})[0]));
}

TEST(Offers, spot_above_on_demand_is_named) {
  Price spot = offer("GCP", "2026-10", 6.26);
  spot.commitment = kSpot;
  EXPECT_THAT(remarks_on(marked({spot, offer("GCP", "2026-10", 6.25)})[0]),
              ElementsAre("spot above on demand"));
  EXPECT_THAT(remarks_on(marked({spot, offer("GCP", "2026-10", 6.26)})[0]), IsEmpty());
}

TEST(Offers, no_price_of_the_catalog_that_stands_is_a_community_offer_beside_a_list_price) {
  const auto prices = read_prices();
  ASSERT_TRUE(prices) << format(prices.error());
  double lowest = 100;
  for (const Price& price : *prices) {
    if (price.gpu != "H100" || price.commitment != kOnDemand || !stands(price)) continue;
    EXPECT_EQ(price.kind, kListPrice);
    lowest = std::min(lowest, price.usd_per_gpu_hour());
  }
  EXPECT_EQ(lowest, 3.2);               // not $2.69 of a community cloud, not $2.95 of 2025
  for (const Price& price : *prices) {  // not $0.70 of half a year before
    if (price.gpu != "L4" || !stands(price)) continue;
    EXPECT_EQ(price.usd_per_hour, 0.8048);
  }
}

TEST(PriceDay, knows_days_months_and_years_and_nothing_else) {
  EXPECT_EQ(*price_day("2026-07") - *price_day("2026"), 181);
  EXPECT_EQ(*price_day("2026-07-02") - *price_day("2026-07"), 1);
  for (const char* text :
       {"", "not-a-date", "2026-13", "2026-02-30", "26", "2026-1", "2026-07-0x"}) {
    EXPECT_FALSE(price_day(text)) << text;
  }
}

TEST(PriceFile, refuses_what_is_no_date_and_no_kind) {
  const std::string path = testing::TempDir() + "offers_test.yaml";
  const auto error_of = [&](const std::string& row) {
    std::ofstream(path) << "rows: [{gpu: H100, usd_per_hour: 2, " << row << "}]\n";
    const auto read = read_price_file(path);
    return read ? "" : format(read.error());
  };
  EXPECT_THAT(error_of("date: not-a-date"), HasSubstr("\"not-a-date\" is not a date"));
  EXPECT_THAT(error_of("date: 2026-02-30"), HasSubstr("write 2026-11-09"));
  EXPECT_THAT(error_of("kind: comunity"), HasSubstr("community"));
  EXPECT_EQ(error_of("date: 2026, kind: marketplace"), "");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace plimsoll
