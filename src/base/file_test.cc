#include "base/file.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(ReadFile, gives_the_bytes_unchanged) {
  const std::string path = testing::TempDir() + "/plimsoll_read_file";
  const std::string bytes("a\r\n\0\xff", 5);
  std::ofstream(path, std::ios::binary) << bytes;
  const auto text = read_file(path);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, bytes);
  std::remove(path.c_str());
}

TEST(ReadFile, names_the_file_that_is_missing) {
  const auto text = read_file("no/such/file.yaml");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(exit_code(text.error()), 3);
  EXPECT_NE(format(text.error()).find("no/such/file.yaml: error: cannot open"), std::string::npos);
}

TEST(ReadFile, a_name_does_not_end_at_a_nul_character) {
  const auto text = read_file(std::string("/dev/null\0.yaml", 15));
  ASSERT_FALSE(text.has_value());
  EXPECT_NE(format(text.error()).find("NUL character"), std::string::npos);
}

TEST(ReadFile, refuses_a_folder) {
  const auto text = read_file(testing::TempDir());
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().diagnostics[0].message, "this is a folder");
}

TEST(ReadFile, refuses_what_is_too_large_to_be_meant) {
  const std::string path = testing::TempDir() + "/plimsoll_large_file";
  std::ofstream(path) << std::string(2 << 20, 'x');
  const auto text = read_file(path, 1 << 20);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().diagnostics[0].message, "the file is larger than 1 MiB");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace plimsoll
