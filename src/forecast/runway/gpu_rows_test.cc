// Are GPUs ahead whole ones, and the same as in the plan?
#include "forecast/runway/sheet.h"

#include <cmath>

#include <gtest/gtest.h>

#include "random/distributions.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

// 1,000 paths of demand that rises from 10 by about 2 a day.
Outlook rising(std::size_t days) {
  Outlook outlook;
  outlook.step_s = 86'400;
  outlook.point.assign(days, 0);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    RandomStream stream(1, Purpose::forecast_path, k);
    std::vector<double>& path = outlook.paths.emplace_back();
    const double rise = 2 + 0.3 * draw_normal(stream);
    for (std::size_t i = 0; i < days; ++i) path.push_back(10 + rise * static_cast<double>(i));
  }
  for (std::size_t i = 0; i < days; ++i) {
    outlook.bands.push_back(outlook.peak(i, i + 1));
    outlook.point[i] = outlook.bands[i][3];
  }
  return outlook;
}

SheetRow row_with(Resource resource, double capacity) {
  SheetRow row;
  row.resource = resource;
  row.capacity = capacity;
  row.forecast_p95 = 1;
  return row;
}

// Two instances of two GPUs carry 20 requests/s, and more of them a little more than in proportion.
TEST(GpuRows, do_chance_and_bill_follow_from_whole_gpus) {
  Served served;
  served.system.deployment.main().num_instances = 2;
  served.system.deployment.main().gpus = 2;
  served.usd_per_gpu_hour = 1;
  const Outlook requests = rising(14);
  const LoadAhead load{&requests, 20};
  const FewestFor fewest = [](double times, std::int64_t) -> Result<std::int64_t> {
    return static_cast<std::int64_t>(std::ceil(std::pow(2 * times, 0.9)));
  };
  RunwaySheet sheet;
  sheet.gpu_plan =
      plan_gpus(std::span(&load, 1), served, fewest, [](double) -> Result<std::optional<Interval>> {
        return std::nullopt;
      }).value();
  HeadroomSheet headroom;
  headroom.forecast.emplace();
  headroom.rows = {row_with(Resource::gpus, 6), row_with(Resource::budget, 6.5 * 730)};
  const auto rows = gpu_rows({}, {}, {}, headroom, served, std::span(&load, 1), sheet);
  ASSERT_EQ(rows.size(), 2U);
  const RunwayRow& gpus = rows[0];
  for (std::size_t q = 0; q < kBandPercents.size(); ++q)
    EXPECT_EQ(gpus.peak[q], static_cast<double>(sheet.gpu_plan.most[q])) << q;
  double over = 0;
  for (const std::vector<double>& path : gpus.outlook.paths) {
    for (const double count : path) EXPECT_EQ(std::fmod(count, 2), 0);
    EXPECT_GE(path.front(), 4);  // those deployed stand there
    over += path.back() > 6 ? 1e-3 : 0;
  }
  EXPECT_NEAR(gpus.runway.probability(), over, 1e-9);
  EXPECT_GT(over, 0.05);
  EXPECT_LT(over, 0.95);
  // A budget for six GPUs and a half is over where seven would be needed, as a quota of six is.
  EXPECT_NEAR(rows[1].runway.probability(), over, 1e-9);
  EXPECT_EQ(rows[1].peak[3], gpus.peak[3] * 730);
}

TEST(GpuRows, is_there_none_where_no_number_of_gpus_is_known) {
  HeadroomSheet headroom;
  headroom.forecast.emplace();
  headroom.rows = {row_with(Resource::gpus, 6)};
  EXPECT_TRUE(gpu_rows({}, {}, {}, headroom, {}, {}, {}).empty());
}

}  // namespace
}  // namespace plimsoll
