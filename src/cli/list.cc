// `plimsoll list`: what does Plimsoll know?
#include "cli/catalog_topics.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "cli/topics.h"

namespace plimsoll {
namespace {

// What `plimsoll list` alone shows: the topics and how much there is of each.
Result<Table> overview() {
  Table table{{{"topic"}, {"count", true}, {"what"}}, {}};
  for (const Topic& topic : topics()) {
    TRY(entries, topic.table());
    table.rows.push_back(
        {std::string(topic.name), std::to_string(entries.rows.size()), std::string(topic.what)});
  }
  return table;
}

Result<Table> table_of_topic(const std::vector<std::string>& arguments, const Options& options) {
  if (!options.prices.file.empty()) {
    if (!arguments.empty() && arguments[0] == "prices") return price_table_of(options.prices.file);
    return fail(ErrorKind::usage, "--price-file applies only to list prices",
                "plimsoll list prices --price-file " + options.prices.file);
  }
  for (const Topic& topic : topics()) {
    if (!arguments.empty() && topic.name == arguments[0]) return topic.table();
  }
  return overview();
}

}  // namespace

Result<int> list_verb(const Command& command) {
  TRY(table, table_of_topic(command.arguments, command.options));
  print_notes(command.options, command.notes);
  return print_result(command.options.console.json ? as_json(table)
                                                   : as_text(table, style_of_lists()));
}

}  // namespace plimsoll
