#include "base/command_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/parallel.h"
#include "base/replacement_file.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

// As another command on another thread has it.
template <class Ask>
bool asked_elsewhere(Ask ask) {
  bool answer = false;
  std::thread([&] {
    CommandFiles files;
    const CommandFiles::Binding binding(&files);
    answer = ask();
  }).join();
  return answer;
}

TEST(CommandFiles, are_texts_read_by_their_names_by_this_command_alone) {
  const std::map<std::string, std::string> texts{{"given.yaml", "rate: 3\n"}, {"empty.yaml", ""}};
  CommandFiles files(&texts, false);
  const CommandFiles::Binding binding(&files);
  EXPECT_EQ(read_file("given.yaml").value(), "rate: 3\n");
  EXPECT_EQ(read_file("given.yaml").value(), "rate: 3\n");  // each time from the start
  EXPECT_EQ(read_file("empty.yaml").value(), "");
  EXPECT_FALSE(read_file("other.yaml"));
  EXPECT_TRUE(asked_elsewhere([] { return !read_file("given.yaml"); }));
}

TEST(CommandFiles, of_a_sealed_command_are_its_texts_alone) {
  const fs::path there = fs::path(testing::TempDir()) / "plimsoll_sealed.yaml";
  ASSERT_TRUE(replace_file(there.string(), "rate: 3\n"));
  const std::map<std::string, std::string> texts{{"given.yaml", "rate: 3\n"}};
  CommandFiles files(&texts, true);
  const CommandFiles::Binding binding(&files);
  EXPECT_TRUE(read_file("given.yaml"));
  EXPECT_TRUE(is_file("given.yaml"));
  for (const std::string& path : {there.string(), std::string("/dev/stdin"), std::string("/no")}) {
    EXPECT_FALSE(read_file(path)) << path;
    EXPECT_FALSE(read_output(path)) << path;
    EXPECT_FALSE(is_file(path)) << path;
    EXPECT_FALSE(is_folder(path)) << path;
    EXPECT_FALSE(replace_file(path, "")) << path;
    EXPECT_FALSE(check_replaceable(path)) << path;
  }
  EXPECT_FALSE(is_folder("/"));
}

TEST(CommandFiles, is_a_name_held_by_one_command_until_it_ends) {
  const fs::path folder = fs::path(testing::TempDir()) / "plimsoll_command_files";
  fs::create_directories(folder / "sub");
  const auto is_held = [&](const fs::path& path) { return hold_output(path, "it").has_value(); };
  {
    CommandFiles files;
    const CommandFiles::Binding binding(&files);
    EXPECT_TRUE(is_held(folder / "a"));
    EXPECT_TRUE(is_held(folder / "a"));  // by itself
    EXPECT_FALSE(asked_elsewhere([&] { return is_held(folder / "a"); }));
    EXPECT_FALSE(asked_elsewhere([&] { return is_held(folder / "sub" / ".." / "a"); }));
    EXPECT_TRUE(asked_elsewhere([&] { return is_held(folder / "b"); }));
  }
  EXPECT_TRUE(asked_elsewhere([&] { return is_held(folder / "a"); }));
}

std::string message(const Result<void>& result) {
  return result ? "" : result.error().diagnostics.front().message;
}

TEST(CommandFiles, is_a_second_writer_refused_before_its_work_and_when_it_writes) {
  const std::string path = testing::TempDir() + "plimsoll_command_files_twice";
  CommandFiles files;
  const CommandFiles::Binding binding(&files);
  ASSERT_TRUE(check_replaceable(path));
  EXPECT_TRUE(asked_elsewhere([&] {
    const std::string expected = "another run of plimsoll is writing " + path;
    return message(check_replaceable(path)) == expected &&
           message(ReplacementFile(path).finish()) == expected;
  }));
  ReplacementFile file(path);
  EXPECT_TRUE(file.finish());
  fs::remove(path);
}

TEST(CommandFiles, is_a_file_that_was_read_by_any_thread_of_the_command_never_replaced) {
  const std::string path = testing::TempDir() + "plimsoll_command_files_read";
  ASSERT_TRUE(replace_file(path, "input"));
  const std::string link = path + "_link";
  fs::remove(link);
  fs::create_symlink(path, link);
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    CommandFiles files;
    const CommandFiles::Binding binding(&files);
    for_each_in_parallel(2, threads, [&](std::size_t) { ASSERT_TRUE(read_file(link)); });
    const std::string expected = "an output would overwrite " + path + ", which this command reads";
    EXPECT_EQ(message(check_replaceable(path)), expected);
    EXPECT_EQ(message(replace_file(path, "output")), expected);
    EXPECT_TRUE(asked_elsewhere([&] { return check_replaceable(path).has_value(); }));
  }
  EXPECT_EQ(read_file(path), "input");
  fs::remove(link);
  fs::remove(path);
}

TEST(CommandFiles, is_an_output_not_read_unless_it_may_be_written_again) {
  const std::string path = testing::TempDir() + "plimsoll_command_files_output";
  ASSERT_TRUE(replace_file(path, "old"));
  CommandFiles files;
  const CommandFiles::Binding binding(&files);
  EXPECT_EQ(read_output(path), "old");
  ASSERT_TRUE(check_replaceable(path));
  EXPECT_FALSE(read_file(path));
  EXPECT_FALSE(replace_file(path, "new"));  // whoever read it may have ignored the error
  fs::remove(path);
}

}  // namespace
}  // namespace plimsoll
