// Any words: a command, completions or an error, never a crash.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "cli/completion.h"
#include "cli/parse.h"
#include "cli/variants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(data, data + size));
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word);) words.push_back(word);
  plimsoll::completion_lines(plimsoll::complete(words));
  for (const plimsoll::Verb& verb : plimsoll::verbs()) {
    if (verb.is_family()) continue;
    auto command = plimsoll::parse_command(verb, words);
    if (!command) {
      plimsoll::format(command.error());
    } else if (verb.name == "compare") {
      const auto variants = plimsoll::read_variants(*command);
      if (!variants) plimsoll::format(variants.error());
    }
  }
  return 0;
}
