#include "cli/api_verbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/parse.h"
#include "cli/typed_flags.h"

namespace plimsoll {
namespace {

GivenFlags flags_of_words(const Verb& verb, const std::vector<std::string>& words) {
  const auto command = parse_command(verb, words);
  EXPECT_TRUE(command) << format(command.error());
  return command ? flags_of(command->options) : GivenFlags();
}

TEST(ApiVerbs, print_commands_with_the_switches_that_were_asked_for) {
  int switches = 0;
  for (const ApiVerb& asked : api_verbs()) {
    const Verb& verb = *find_verb(asked.name);
    for (const ApiField& field : asked.fields) {
      if (field.kind != ApiField::Kind::boolean) continue;
      for (const bool on : {true, false}) {
        Json fields{{field.name, on}};
        if (asked.name == "forecast") fields["forecast"] = "routes: {}";  // it takes no less
        const ApiAnswer answer = asked.answer(fields, {[] { return true; }});
        std::istringstream line(answer.command);
        std::vector<std::string> words;
        for (std::string word; line >> word;) words.push_back(word);
        ASSERT_GT(words.size(), 2) << answer.command;
        words.erase(words.begin(), words.begin() + 2);  // "plimsoll VERB"
        const GivenFlags given = flags_of_words(verb, words);
        EXPECT_EQ(given, (GivenFlags{{"--" + field.name, on ? "true" : "false"}}))
            << answer.command;
        ++switches;
      }
    }
  }
  EXPECT_GT(switches, 20);
}

TEST(ApiVerbs, take_no_name_for_a_file_and_say_what_a_field_may_be) {
  const auto verbs = api_verbs();
  const auto asked = std::ranges::find(verbs, "capacity", &ApiVerb::name);
  ASSERT_NE(asked, verbs.end());
  const auto message = [&](const Json& fields) {
    const ApiAnswer answer = asked->answer(fields, {[] { return true; }});
    return answer.problems.empty() ? "" : answer.problems.front().message;
  };
  EXPECT_EQ(message({{"model", "/etc/passwd"}}), "unknown model \"/etc/passwd\"");
  EXPECT_EQ(message({{"model", "x.json"}}), "unknown model \"x.json\"");
  EXPECT_EQ(message({{"rate", nullptr}}),
            "\"rate\" must be a number; leave it out if you have none");
}

TEST(ApiVerbs, advise_nothing_that_a_request_cannot_give) {
  const auto verbs = api_verbs();
  for (const ApiVerb& asked : verbs) {
    if (asked.name != "run" && asked.name != "capacity" && asked.name != "plan") continue;
    for (const Json& fields : {Json{{"model", "no-such-model"}}, Json{{"rate", 5}},
                               Json{{"model", "unsloth/Qwen3-14B-bnb-4bit"}},
                               Json{{"hardware", "no-such-gpu"}, {"model", "qwen3-14b"}}}) {
      const ApiAnswer answer = asked.answer(fields, {[] { return true; }});
      EXPECT_EQ(answer.messages.find("-config"), std::string::npos) << answer.messages;
    }
  }
}

}  // namespace
}  // namespace plimsoll
