// `plimsoll list`: what does Plimsoll know?
#include <fmt/format.h>

#include <functional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/choices.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/verbs.h"
#include "perf/latency_models.h"

namespace plimsoll {
namespace {

/// A table to print: the same keys head the columns and name the JSON values. A cell that is a
/// number in JSON is marked by its column.
struct Column {
  std::string key;
  bool is_number = false;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

Result<Table> models() {
  Table table{{{"model"}, {"default_gpu"}, {"default_tp", true}, {"max_model_len", true}}, {}};
  for (const std::string& name : model_names()) {
    const auto model = find_model(name);
    if (!model) return tl::unexpected<Error>(model.error());
    table.rows.push_back({name, model->default_gpu, std::to_string(model->default_tp),
                          std::to_string(model->config.max_model_len)});
  }
  return table;
}

Result<Table> gpus() {
  Table table{{{"gpu"},
               {"memory_gib", true},
               {"bandwidth_tb_s", true},
               {"tflops_bf16", true},
               {"tflops_fp8", true}},
              {}};
  for (const std::string& name : gpu_names()) {
    const auto gpu = find_gpu(name, SemanticsMode::vllm);
    if (!gpu) return tl::unexpected<Error>(gpu.error());
    table.rows.push_back({name, shortest(gpu->memory_gib), shortest(gpu->memory_bandwidth_tb_s),
                          shortest(gpu->tflops_bf16), shortest(gpu->tflops_fp8)});
  }
  return table;
}

template <class E>
Result<Table> choices(std::span<const Choice<E>> all) {
  Table table{{{"name"}, {"help"}}, {}};
  for (const Choice<E>& choice : all) {
    if (choice.value) table.rows.push_back({std::string(choice.name), std::string(choice.help)});
  }
  return table;
}

Result<Table> latency_model_rows() {
  Table table{{{"name"}, {"help"}}, {}};
  for (const LatencyModel& row : latency_models()) {
    table.rows.push_back({row.name, row.help});
  }
  return table;
}

using TableMaker = std::function<Result<Table>()>;

const std::vector<std::pair<std::string, TableMaker>>& topics() {
  static const std::vector<std::pair<std::string, TableMaker>> all{
      {"models", models},
      {"gpus", gpus},
      {"latency-models", latency_model_rows},
      {"schedulers", [] { return choices(scheduler_choices()); }},
      {"routers", [] { return choices(router_choices()); }},
  };
  return all;
}

// Numbers to the right, words to the left, two spaces between columns.
std::string as_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = table.columns[c].key.size();
    for (const auto& row : table.rows) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell) {
    std::string out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      out += table.columns[c].is_number ? fmt::format("{:>{}}  ", cell(c), widths[c])
                                        : fmt::format("{:<{}}  ", cell(c), widths[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out = line([&](std::size_t c) { return table.columns[c].key; });
  for (const auto& row : table.rows) out += line([&](std::size_t c) { return row[c]; });
  return out;
}

// Names and help texts of our own: nothing in them needs escaping.
std::string as_json(const Table& table) {
  std::vector<std::string> objects;
  for (const auto& row : table.rows) {
    std::vector<std::string> members;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const char* quote = table.columns[c].is_number ? "" : "\"";
      members.push_back(fmt::format("\"{}\": {}{}{}", table.columns[c].key, quote, row[c], quote));
    }
    objects.push_back("  {" + join(members, ", ") + "}");
  }
  return "[\n" + join(objects, ",\n") + "\n]\n";
}

Error unknown_topic(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const auto& [name, make] : topics()) names.push_back(name);
  if (arguments.empty()) {
    return {ErrorKind::usage, {{{}, 0, 0, "list what?", "one of: " + join(names, ", "), {}}}};
  }
  return {
      ErrorKind::usage,
      {{{}, 0, 0, "cannot list \"" + arguments[0] + "\"", suggestion(arguments[0], names), {}}}};
}

}  // namespace

int list_verb(Words words) {
  const auto parsed = parse_flags(Verb::list, words, 1);
  if (!parsed) return report(parsed.error());
  if (parsed->help) return print_result(verb_help(Verb::list));
  for (const auto& [name, make] : topics()) {
    if (parsed->arguments.empty() || parsed->arguments[0] != name) continue;
    const auto table = make();
    if (!table) return report(table.error());
    return print_result(parsed->options.json ? as_json(*table) : as_text(*table));
  }
  return report(unknown_topic(parsed->arguments));
}

}  // namespace plimsoll
