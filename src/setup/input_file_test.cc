// Is a file that another verb reads refused by one error that names that verb?
#include "setup/input_file.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

std::string error_of(std::string_view verb, std::string_view text) {
  const auto checked = check_is_for(verb, "my file", text);
  return checked ? std::string() : format(checked.error());
}

TEST(InputFile, that_another_verb_reads_is_refused_with_the_name_of_that_verb) {
  EXPECT_EQ(error_of("forecast", "# recorded\ntrace_version: 2\ntime_unit: us\n"),
            "my file: error: this looks like a trace, not like a forecast\n"
            "  plimsoll replay 'my file' --model ID reads it; a forecast reads a trace as the file "
            "of its \"history\"\n");
  EXPECT_EQ(error_of("forecast", "config_space: {}"),
            "my file: error: this looks like the request of a plan, not like a forecast\n"
            "  plimsoll plan 'my file' reads it\n");
  EXPECT_NE(error_of("plan", "TIMESTAMP,ContextTokens,GeneratedTokens\n").find("a trace"),
            std::string::npos);
  EXPECT_NE(error_of("plan", "version: 2\nclients:\n").find("plimsoll run MODEL 'my file'"),
            std::string::npos);
}

TEST(InputFile, that_is_a_history_is_refused_by_all_but_a_forecast) {
  const std::string wanted =
      "my file: error: this looks like a history of demand\n"
      "  plimsoll forecast 'my file' --model MODEL --hardware GPU continues it\n";
  EXPECT_EQ(error_of("plan", "time,requests_per_s\n2026-06-01,6\n"), wanted);
  EXPECT_EQ(error_of("plan", "[{\"status\": \"success\", \"data\": {}}]"), wanted);
  EXPECT_EQ(error_of("plan", "{\"model\": \"qwen3-14b\"}"), "");
}

TEST(InputFile, of_the_verb_or_of_no_known_kind_is_left_to_its_reader) {
  EXPECT_EQ(error_of("forecast", "name: launch\nroutes: {}\n"), "");
  EXPECT_EQ(error_of("plan", "model: qwen3-14b\nworkload: {clients: 5}\n"), "");
  EXPECT_EQ(error_of("plan", ""), "");
  EXPECT_EQ(error_of("plan", "\n\n"), "");
}

}  // namespace
}  // namespace plimsoll
