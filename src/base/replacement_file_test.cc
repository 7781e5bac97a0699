#include "base/replacement_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

class ReplacementFileTest : public testing::Test {
 protected:
  // Tests may run side by side.
  ReplacementFileTest()
      : folder_(fs::path(testing::TempDir()) / ("plimsoll_replacement_file_" + test_name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ReplacementFileTest() override { fs::remove_all(folder_); }

  static std::string test_name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void write(const fs::path& path, const std::string& text) {
    ReplacementFile file(path.string());
    file.write(text);
    const auto written = file.finish();
    EXPECT_TRUE(written) << format(written.error());
  }

  const fs::path folder_;
};

TEST_F(ReplacementFileTest, does_the_old_content_stay_until_the_end) {
  const fs::path path = folder_ / "a";
  write(path, "old");
  {
    ReplacementFile file(path.string());
    file.write("new");
    EXPECT_EQ(content(path), "old");
  }
  EXPECT_EQ(content(path), "old");  // never finished
  write(path, "new");
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(ReplacementFileTest, does_a_link_stay_and_its_target_change) {
  fs::create_directory(folder_ / "far");
  fs::create_symlink("far/target", folder_ / "link");  // to what is not there yet
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(check_replaceable((folder_ / "link").string()));
    write(folder_ / "link", text);
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(content(folder_ / "far/target"), text);
  }
}

TEST_F(ReplacementFileTest, is_a_device_written_to_and_not_replaced) {
  ASSERT_TRUE(check_replaceable("/dev/null"));
  write("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(ReplacementFileTest, is_what_cannot_be_written_told_beforehand) {
  EXPECT_FALSE(check_replaceable(folder_.string()));
  EXPECT_FALSE(check_replaceable((folder_ / "none" / "a").string()));
  EXPECT_TRUE(check_replaceable((folder_ / "a").string()));
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const bool may_write_anywhere = std::ofstream(folder_ / "b").good();  // as root
  EXPECT_EQ(check_replaceable((folder_ / "a").string()).has_value(), may_write_anywhere);
  fs::permissions(folder_, fs::perms::owner_all);
}

}  // namespace
}  // namespace plimsoll
