#include "planner/shared_fleet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace plimsoll {
namespace {

using Models = std::vector<std::vector<FleetOption>>;

/// The least dollars of all combinations within the caps that serve all models; infinite: none.
double least_by_trying_all(const Models& models, const FleetCaps& caps) {
  double least = std::numeric_limits<double>::infinity();
  const std::function<void(std::size_t, std::int64_t, double)> add =
      [&](std::size_t model, std::int64_t gpus, double usd) {
        if (caps.gpus && gpus > *caps.gpus) return;
        if (caps.usd_per_hour && usd > *caps.usd_per_hour + 1e-9) return;
        if (model == models.size()) {
          least = std::min(least, usd);
          return;
        }
        for (const FleetOption& o : models[model])
          add(model + 1, gpus + o.gpus, usd + o.usd_per_hour);
      };
  add(0, 0, 0);
  return least;
}

TEST(SharedFleet, is_what_trying_all_combinations_finds) {
  std::uint64_t draw = 1;
  const auto up_to = [&draw](std::uint64_t most) {
    draw = draw * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((draw >> 33) % most) + 1;
  };
  int tight = 0;
  for (int round = 0; round < 300; ++round) {
    Models models(static_cast<std::size_t>(up_to(4)));
    for (auto& options : models) {
      options.resize(static_cast<std::size_t>(up_to(5)));
      for (FleetOption& o : options) o = {0, up_to(12), static_cast<double>(up_to(40)) / 4};
    }
    FleetCaps caps;
    if (up_to(3) > 1) caps.gpus = up_to(30);
    if (up_to(3) > 1) caps.usd_per_hour = static_cast<double>(up_to(30));
    const double least = least_by_trying_all(models, caps);
    const FleetChoice choice = choose_fleet(models, caps, false);
    ASSERT_EQ(choice.is_complete(), std::isfinite(least)) << round;
    if (caps.gpus) {
      EXPECT_LE(choice.gpus, *caps.gpus);
    }
    if (caps.usd_per_hour) {
      EXPECT_LE(choice.usd_per_hour, *caps.usd_per_hour);
    }
    if (choice.is_complete()) {
      EXPECT_DOUBLE_EQ(choice.usd_per_hour, least) << round;
    } else {
      tight += 1;
    }
  }
  EXPECT_GT(tight, 50);
}

TEST(SharedFleet, takes_a_dearer_option_where_gpus_are_short) {
  const Models models{{{0, 8, 8}, {1, 4, 12}}, {{0, 8, 8}, {1, 4, 13}}};
  EXPECT_EQ(choose_fleet(models, {}, false).usd_per_hour, 16);
  const FleetChoice tight = choose_fleet(models, {12, {}}, false);
  EXPECT_EQ(tight.usd_per_hour, 20);
  EXPECT_EQ(tight.chosen[0]->candidate, 1u);
  EXPECT_EQ(choose_fleet(models, {}, true).gpus, 8);
}

TEST(SharedFleet, serves_the_earlier_models_where_not_all_fit) {
  const Models models{{{0, 4, 4}}, {{0, 6, 6}}, {{0, 2, 2}}, {}};
  const FleetChoice choice = choose_fleet(models, {7, {}}, false);
  EXPECT_FALSE(choice.is_complete());
  EXPECT_TRUE(choice.chosen[0]);
  EXPECT_FALSE(choice.chosen[1]);  // 3 GPUs are left, it takes 6
  EXPECT_TRUE(choice.chosen[2]);
  EXPECT_FALSE(choice.chosen[3]);  // nothing holds its load
  EXPECT_EQ(choice.gpus, 6);
}

}  // namespace
}  // namespace plimsoll
