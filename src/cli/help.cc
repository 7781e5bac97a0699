#include "cli/help.h"

#include <algorithm>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kHelpColumn = 36;

// The words of `text` from column `at` on, broken before kWidth and indented to kHelpColumn.
std::string wrapped(const std::string& text, std::size_t at) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (begin > 0 && at + 1 + (end - begin) > kWidth) {
      out += "\n" + std::string(kHelpColumn, ' ');
      at = kHelpColumn;
    } else if (begin > 0) {
      out += ' ';
      ++at;
    }
    out.append(text, begin, end - begin);
    at += end - begin;
    begin = end + 1;
  }
  return out + "\n";
}

std::string row(const Flag& flag) {
  std::string left = "  " + std::string(flag.name);
  if (!flag.placeholder.empty()) left += " " + std::string(flag.placeholder);
  if (left.size() + 2 > kHelpColumn) {
    left += "\n" + std::string(kHelpColumn, ' ');
  } else {
    left.resize(kHelpColumn, ' ');
  }
  std::string right = flag.help;
  for (const Alias& alias : flag.aliases) {
    if (!alias.deprecated) right += "; also " + std::string(alias.name);
  }
  if (!flag.value.default_text.empty()) right += " [" + flag.value.default_text + "]";
  return left + wrapped(right, kHelpColumn);
}

std::string features_to_come() {
  std::vector<std::string> names;
  for (const LaterFlag& later : later_flags()) {
    if (names.empty() || names.back() != later.feature) names.emplace_back(later.feature);
  }
  std::string left = "Not built yet: the flags for";
  left.resize(kHelpColumn, ' ');
  return left + wrapped(join(names, ", ") + ".", kHelpColumn);
}

std::string_view question(Verb verb) {
  switch (verb) {
    case Verb::run:
      return "what happens under this load?";
    case Verb::replay:
      return "what happens when this recorded traffic comes again?";
    case Verb::list:
      return "what does Plimsoll know?";
  }
  return {};
}

std::string_view usage(Verb verb) {
  switch (verb) {
    case Verb::run:
      return "plimsoll run --model ID --rate REQ/S [flags]\n\n"
             "  plimsoll run --model qwen/qwen3-14b --rate 200 --num-instances 16 "
             "--num-requests 100000\n";
    case Verb::replay:
      return "plimsoll replay --model ID --trace FILE --trace-format NAME [flags]\n"
             "       plimsoll replay --model ID --trace-header FILE --trace-data FILE [flags]\n\n"
             "  plimsoll replay --model llama-3.1-8b-instruct --trace azure.csv.gz "
             "--trace-format azure\n";
    case Verb::list:
      return "plimsoll list models|gpus|latency-models|schedulers|routers [--json]\n";
  }
  return {};
}

}  // namespace

std::string overview_help() {
  std::string out =
      "Plimsoll plans LLM-serving capacity without a GPU: it simulates a vLLM-like cluster under\n"
      "your traffic and says what latency, throughput and headroom to expect.\n\n"
      "usage: plimsoll VERB [flags]\n\n";
  for (const Verb verb : {Verb::run, Verb::replay, Verb::list}) {
    std::string left = "  " + std::string(name_of(verb));
    left.resize(12, ' ');
    out += left + std::string(question(verb)) + "\n";
  }
  return out +
         "\n  plimsoll VERB --help shows the flags of a verb; plimsoll --version the version.\n\n"
         "Exit codes: 0 answered, 2 wrong usage or input, 3 a file could not be read or written,\n"
         "4 internal error, 130 interrupted (what there was is printed).\n";
}

std::string verb_help(Verb verb) {
  std::string out = "plimsoll " + std::string(name_of(verb)) + ": " + std::string(question(verb)) +
                    "\n\nusage: " + std::string(usage(verb));
  for (const FlagGroup group :
       {FlagGroup::model, FlagGroup::workload, FlagGroup::trace, FlagGroup::cluster,
        FlagGroup::engine, FlagGroup::control, FlagGroup::output}) {
    std::string rows;
    for (const Flag& flag : flags()) {
      if (flag.group == group && flag.is_for(verb)) rows += row(flag);
    }
    if (!rows.empty()) out += "\n" + std::string(title(group)) + "\n" + rows;
  }
  if (verb != Verb::list) out += "\n" + features_to_come();
  return out;
}

}  // namespace plimsoll
