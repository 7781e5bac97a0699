#include <cstdio>
#include <vector>

#include "base/text.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/verbs.h"

namespace plimsoll {
namespace {

struct VerbRow {
  std::string name;
  int (*run)(Words);
};

const std::vector<VerbRow>& verbs() {
  static const std::vector<VerbRow> rows{
      {"run", run_verb}, {"replay", replay_verb}, {"list", list_verb}};
  return rows;
}

Error unknown_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const VerbRow& verb : verbs()) names.push_back(verb.name);
  names.insert(names.end(), {"--help", "--version"});
  return {ErrorKind::usage,
          {{{}, 0, 0, "unknown verb \"" + name + "\"", suggestion(name, names), {}}}};
}

}  // namespace

int run_command_line(Words words) {
  if (words.empty()) {
    print_error(overview_help());
    return 2;
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "help") return print_result(overview_help());
  if (first == "--version") return print_result("plimsoll " PLIMSOLL_VERSION "\n");
  for (const VerbRow& verb : verbs()) {
    if (verb.name == first) return verb.run(words.subspan(1));
  }
  return report(unknown_verb(first));
}

}  // namespace plimsoll
