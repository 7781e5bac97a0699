#include "cli/expected_deployment.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/command_files.h"
#include "cli/idle_flags.h"
#include "cli/policy_bundle.h"
#include "cli/typed_flags.h"
#include "cli/variants.h"
#include "cli/verbs.h"

namespace plimsoll {
namespace {

// Beside the traffic, which is recorded, there is only the deployment to say.
Result<void> check_groups(const Options& said) {
  for (const auto& [name, value] : flags_of(said)) {
    if (may_differ(find_verb("run")->flag(name)->group)) continue;
    return fail(ErrorKind::usage, name + " is not a flag of a deployment",
                "the traffic and all else are those of observe");
  }
  return {};
}

// "hardware=H100 tp=2" as well as "--hardware H100 --tp 2".
Result<std::vector<std::string>> deployment_words(const std::string& text) {
  TRY(words, split_words(text));
  if (!words.empty() && !words.front().starts_with("--"))
    for (std::string& word : words) word.insert(0, "--");
  return words;
}

Result<ExpectedDeployment> deployment_of(const Options& options) {
  TRY(words, deployment_words(options.server.expect));
  const auto names_model = [](const std::string& word) {
    return word == "--model" || word.starts_with("--model=");
  };
  if (std::ranges::none_of(words, names_model)) words.push_back("--model=" + *options.run.model.id);
  TRY(said, options_of_run(words));
  TRY_TO(check_groups(said));
  TRY(setup, setup_of(said));
  return ExpectedDeployment{std::move(said), std::move(setup)};
}

}  // namespace

Result<std::optional<ExpectedDeployment>> expected_deployment(const Options& options) {
  if (options.server.expect.empty()) return std::optional<ExpectedDeployment>();
  auto said = deployment_of(options);
  if (!said) return tl::unexpected<Error>(said_of("--expect", std::move(said.error())));
  return std::optional(std::move(*said));
}

Result<Expectation> expect_of(const ExpectedDeployment& said, const std::string& prefix,
                              const MetricDefinitions& how, std::size_t first_row) {
  CommandFiles of_replay;  // which reads what `observe` has written
  const CommandFiles::Binding binding(&of_replay);
  RunSpec run = said.options.run;
  run.traffic.trace.header = prefix + ".yaml";
  run.traffic.trace.data = prefix + ".csv";
  return expectation(run, said.setup, how, first_row);
}

std::string flags_for(std::string_view verb, const ExpectedDeployment& said) {
  return typed_flags(said.options, [&](const Flag& flag) {
    return may_differ(flag.group) && find_verb(verb)->has(flag.group);
  });
}

}  // namespace plimsoll
