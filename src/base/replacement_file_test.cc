#include "base/replacement_file.h"

#include <sys/wait.h>
#include <unistd.h>

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

TEST_F(ReplacementFileTest, does_a_file_of_anybody_else_stay_as_it_is) {
  const fs::path path = folder_ / "a";
  for (const char* name : {"a.partial", ".a.partial", ".a.0.partial"}) {
    std::ofstream(folder_ / name) << "mine";
  }
  fs::create_symlink("a.partial", folder_ / "a.tmp");
  write(path, "text");
  EXPECT_EQ(content(path), "text");
  for (const char* name : {"a.partial", ".a.partial", ".a.0.partial", "a.tmp"}) {
    EXPECT_EQ(content(folder_ / name), "mine") << name;
  }
}

TEST_F(ReplacementFileTest, is_of_two_that_write_one_name_each_whole) {
  const fs::path path = folder_ / "a";
  ReplacementFile first(path.string());
  ReplacementFile second(path.string());
  for (int i = 0; i < 100'000; ++i) {
    first.write("1");
    second.write("2");
  }
  ASSERT_TRUE(first.finish());
  EXPECT_EQ(content(path), std::string(100'000, '1'));
  ASSERT_TRUE(second.finish());
  EXPECT_EQ(content(path), std::string(100'000, '2'));
}

TEST_F(ReplacementFileTest, does_what_was_private_stay_so) {
  const fs::path path = folder_ / "a";
  const auto mode = [&] { return fs::status(path).permissions(); };
  write(path, "old");
  const fs::perms usual = mode();
  for (const int kept : {0600, 0640, 0755}) {
    fs::permissions(path, fs::perms(kept));
    write(path, "new");
    EXPECT_EQ(mode(), fs::perms(kept));
  }
  fs::remove(path);
  write(path, "new");
  EXPECT_EQ(mode(), usual);
}

TEST_F(ReplacementFileTest, does_nothing_remain_when_a_signal_ends_the_program) {
  write(folder_ / "a", "old");
  const pid_t child = fork();
  if (child == 0) {
    ReplacementFile file((folder_ / "a").string());
    ReplacementFile other((folder_ / "b").string());
    remove_temporary_files();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(folder_ / "a"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(ReplacementFileTest, are_names_as_long_as_they_may_be_written) {
  const fs::path path = folder_ / std::string(255, 'a');
  write(path, "text");
  EXPECT_EQ(content(path), "text");
}

TEST_F(ReplacementFileTest, are_links_that_lead_nowhere_or_were_put_there_by_others_refused) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_FALSE(check_replaceable((folder_ / "a").string()));
  EXPECT_FALSE(ReplacementFile((folder_ / "a").string()).finish());
  const fs::path open = folder_ / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::all | fs::perms::sticky_bit);
  fs::create_symlink(folder_ / "mine", open / "link");
  EXPECT_TRUE(check_replaceable((open / "link").string()));
  constexpr uid_t kSomebody = 12345;
  if (lchown((open / "link").c_str(), kSomebody, kSomebody) != 0) GTEST_SKIP() << "not root";
  EXPECT_FALSE(check_replaceable((open / "link").string()));
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
