#include "base/nearest_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace plimsoll {
namespace {

TEST(NearestFile, is_the_one_in_the_same_folder_whose_name_is_like_it) {
  const std::string folder = testing::TempDir() + "nearest_file";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/history.csv") << "day\n";
  EXPECT_EQ(nearest_file(folder + "/histroy.csv"), folder + "/history.csv");
  EXPECT_EQ(nearest_file(folder + "/routes.yaml"), "");
  EXPECT_EQ(nearest_file(folder + "/"), "");
  EXPECT_EQ(nearest_file(folder + "/none/history.csv"), "");
  EXPECT_EQ(nearest_file(""), "");
}

}  // namespace
}  // namespace plimsoll
