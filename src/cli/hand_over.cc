#include "cli/hand_over.h"

#include <utility>

#include "base/replacement_file.h"
#include "cli/console.h"

namespace plimsoll {

int hand_over(std::string_view answer, const std::vector<SideFile>& files, int exit_code) {
  int failure = print_result(answer);
  for (const SideFile& file : files) {
    const auto written = file();
    if (written) continue;
    const int code = report(written.error());
    if (failure == 0) failure = code;
  }
  return failure != 0 ? failure : exit_code;
}

SideFile side_file(const std::string& path, std::function<std::string()> text) {
  return [path, text = std::move(text)] { return replace_file(path, text()); };
}

}  // namespace plimsoll
