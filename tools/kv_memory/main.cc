// kv_memory CASES: the sentence and the table of docs/explanation/accuracy-kv-memory.md about the
// memory of engines, with an empty line between them.
#include <cstdio>

#include "kv_memory/cases.h"
#include "kv_memory/figures.h"

int main(int argc, char** argv) {
  using namespace plimsoll;
  using namespace plimsoll::kv_memory;
  if (argc != 2) {
    std::fputs("usage: kv_memory CASES\n", stderr);
    return 2;
  }
  const auto cases = read_cases(argv[1]);
  if (!cases) {
    std::fprintf(stderr, "%s\n", format(cases.error()).c_str());
    return 1;
  }
  std::vector<MemoryFigures> figures;
  for (const LoggedEngine& row : *cases) {
    const auto one = figures_of(row);
    if (!one) {
      std::fprintf(stderr, "%s\n", format(one.error()).c_str());
      return 1;
    }
    figures.push_back(*one);
  }
  std::printf("%s\n%s", summary(*cases, figures).c_str(), cases_table(*cases, figures).c_str());
  return 0;
}
