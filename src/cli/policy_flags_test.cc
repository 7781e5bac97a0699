// Does everything follow from the row of a policy that declares a parameter?
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

#include "base/text.h"
#include "cli/flags.h"
#include "cli/policy_bundle.h"
#include "cli/verbs.h"
#include "setup/policies.h"

namespace plimsoll {
namespace {

void for_each_parameter(
    const std::function<void(const PolicyKind&, const PolicyRow&, const PolicyParameter&)>& look) {
  for (const PolicyKind& kind : policy_kinds()) {
    for (const PolicyRow& row : kind.rows) {
      for (const PolicyParameter& parameter : row.parameters) look(kind, row, parameter);
    }
  }
}

const Flag* flag_of(const PolicyParameter& parameter) {
  const Verb& run = *find_verb("run");
  const auto flag = std::ranges::find_if(
      flags(), [&](const Flag& f) { return f.name == "--" + parameter.name && run.has(f.group); });
  return flag == flags().end() ? nullptr : &*flag;
}

TEST(PolicyParameters, have_names_of_their_own_and_usual_values_that_are_allowed) {
  std::set<std::string> names;
  for_each_parameter([&](const PolicyKind&, const PolicyRow&, const PolicyParameter& p) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_GE(p.usual, p.range.min) << p.name;
    EXPECT_LE(p.usual, p.range.max) << p.name;
    EXPECT_FALSE(p.help.empty() || p.unit.empty()) << p.name;
  });
  EXPECT_GE(names.size(), 9U);
}

TEST(PolicyParameters, have_a_flag_that_counts_only_with_their_policy) {
  for_each_parameter([](const PolicyKind& kind, const PolicyRow& row, const PolicyParameter& p) {
    const Flag* flag = flag_of(p);
    ASSERT_NE(flag, nullptr) << p.name;
    EXPECT_EQ(flag->value.default_text, shortest(p.usual));
    EXPECT_EQ(flag->conditions.back().otherwise,
              "without " + std::string(kind.flag) + " " + row.name);
    Options options;
    EXPECT_EQ(flag->value.origin(options), Origin::usual);
    EXPECT_FALSE(flag->value.set(options, shortest(p.usual), Origin::asked)) << p.name;
    EXPECT_EQ(flag->value.origin(options), Origin::asked);
    EXPECT_EQ(kind.parameters_of(options.run).at(p.name), p.usual);
    EXPECT_TRUE(flag->value.set(options, "many", Origin::asked)) << p.name;
  });
}

// In the section of their kind: a router's under routing, and so on.
TEST(PolicyParameters, have_a_key_in_a_policy_file_unless_they_are_the_gateways) {
  const std::pair<std::string_view, std::string> sections[]{{"--admission-policy", "admission"},
                                                            {"--routing-policy", "routing"},
                                                            {"--routing-scorers", "routing"},
                                                            {"--preemption-policy", "preemption"}};
  const std::string path = testing::TempDir() + "policies.yaml";
  for_each_parameter([&](const PolicyKind& kind, const PolicyRow&, const PolicyParameter& p) {
    const auto section =
        std::ranges::find(sections, kind.flag, [](const auto& s) { return s.first; });
    if (section == std::end(sections)) return;
    std::string key = p.name;
    std::ranges::replace(key, '-', '_');
    std::ofstream(path) << section->second << ":\n  " << key << ": " << shortest(p.usual) << "\n";
    Options options;
    ASSERT_TRUE(apply_policy_bundle(path, &options)) << p.name;
    EXPECT_EQ(flag_of(p)->value.origin(options), Origin::file) << p.name;
  });
}

}  // namespace
}  // namespace plimsoll
