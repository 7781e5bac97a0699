#include "cli/typed_flags.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "cli/parse.h"

namespace plimsoll {
namespace {

// Texts of all kinds; a flag takes those that it can read.
std::vector<std::string> texts_for(const Flag& flag) {
  std::vector<std::string> texts = flag.value.choices;
  texts.insert(texts.end(), flag.value.items.begin(), flag.value.items.end());
  for (const auto& [low, high] : {std::pair(0, 1), std::pair(1, 50), std::pair(1000, 100'000)}) {
    texts.push_back(std::to_string(*rc::gen::inRange(low, high + 1)));
  }
  texts.push_back(shortest(static_cast<double>(*rc::gen::inRange(1, 1000)) / 999));
  texts.push_back(texts.back() + ",2.5");
  const std::string whole = std::to_string(*rc::gen::inRange(1, 100));
  for (const char* form : {"true", "false", "a name", "critical=%", "batch=%,critical=4", "h100=%",
                           "tenant=0.5,other=0", "%ms", "2026-11-21", "a:queue-depth"}) {
    const std::string text(form);
    const std::size_t at = text.find('%');
    texts.push_back(at == text.npos ? text : text.substr(0, at) + whole + text.substr(at + 1));
  }
  Options ignored;
  std::erase_if(texts, [&](const std::string& text) {
    return flag.value.set(ignored, text, Origin::asked).has_value();
  });
  return texts;
}

// Of every verb: what its flags can say, any of them.
Options some_options(const Verb& verb) {
  Options options;
  for (const Flag& flag : flags()) {
    if (!verb.has(flag.group) || *rc::gen::inRange(0, 3) > 0) continue;
    const std::vector<std::string> texts = texts_for(flag);
    if (texts.empty()) RC_FAIL("no text fits " + std::string(flag.name));
    const int times = flag.value.is_repeatable ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      flag.value.set(options, *rc::gen::elementOf(texts), Origin::asked);
    }
  }
  return options;
}

// Words that a verb cannot do without.
std::vector<std::string> arguments_of(const Verb& verb) {
  if (verb.arguments.choices != nullptr && verb.arguments.least > 0)
    return {verb.arguments.choices().front()};
  return std::vector<std::string>(verb.arguments.least, "a.yaml");
}

RC_GTEST_PROP(FlagsOf, are_parsed_to_the_options_that_they_are_of, ()) {
  for (const Verb& verb : verbs()) {
    if (verb.is_family()) continue;
    const Options options = some_options(verb);
    std::vector<std::string> words = arguments_of(verb);
    for (std::string& word : flag_words(options, [](const Flag&) { return true; })) {
      words.push_back(std::move(word));
    }
    const auto parsed = parse_command(verb, words);
    if (!parsed) RC_FAIL(join(words, " ") + "\n" + format(parsed.error()));
    if (!(parsed->options == options)) RC_FAIL(join(words, " "));
  }
}

TEST(FlagsOf, are_those_that_were_asked_for_and_no_others) {
  Options options;
  options.run.layout.tp = 4;
  options.run.cluster.num_instances = 1;  // the usual number, but somebody wants it
  options.run.model.id.set("of-a-file", Origin::file);
  EXPECT_EQ(flags_of(options), (GivenFlags{{"--tp", "4"}, {"--num-instances", "1"}}));
  options.run.cluster.num_instances = ClusterSpec().num_instances;
  EXPECT_EQ(flags_of(options), (GivenFlags{{"--tp", "4"}}));
}

}  // namespace
}  // namespace plimsoll
