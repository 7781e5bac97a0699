#include "base/output_lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "base/replacement_file.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

// As another command on another thread has it.
template <class Ask>
bool asked_elsewhere(Ask ask) {
  bool answer = false;
  std::thread([&] {
    const OutputLocks locks;
    answer = ask();
  }).join();
  return answer;
}

TEST(OutputLock, is_a_name_held_by_one_command_until_it_ends) {
  const fs::path folder = fs::path(testing::TempDir()) / "plimsoll_output_lock";
  fs::create_directories(folder / "sub");
  const fs::path path = folder / "a";
  std::optional<OutputLocks> locks(std::in_place);
  EXPECT_TRUE(hold_output(path));
  EXPECT_TRUE(hold_output(path));  // by itself
  EXPECT_FALSE(asked_elsewhere([&] { return hold_output(path); }));
  EXPECT_FALSE(asked_elsewhere([&] { return hold_output(folder / "sub" / ".." / "a"); }));
  EXPECT_TRUE(asked_elsewhere([&] { return hold_output(folder / "b"); }));
  locks.reset();
  EXPECT_TRUE(asked_elsewhere([&] { return hold_output(path); }));
}

TEST(OutputLock, is_a_second_writer_refused_before_its_work_and_when_it_writes) {
  const std::string path = testing::TempDir() + "plimsoll_output_lock_twice";
  const OutputLocks locks;
  ASSERT_TRUE(check_replaceable(path));
  const auto message = [](const Result<void>& result) {
    return result ? "" : result.error().diagnostics.front().message;
  };
  EXPECT_TRUE(asked_elsewhere([&] {
    const std::string expected = "another run of plimsoll is writing " + path;
    return message(check_replaceable(path)) == expected &&
           message(ReplacementFile(path).finish()) == expected;
  }));
  ReplacementFile file(path);
  EXPECT_TRUE(file.finish());
  fs::remove(path);
}

}  // namespace
}  // namespace plimsoll
