#include "cli/emitted_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/replacement_file.h"

namespace plimsoll {

std::string marked_as_emitted(std::string_view text) {
  return fmt::format("{}# Written by plimsoll plan --emit; checksum {:08x}\n", text,
                     crc32_of(text));
}

Result<void> check_emitted(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) &&
      std::filesystem::file_size(path, ignored) > 0) {
    const auto content = read_output(path);
    const std::size_t last = content ? content->rfind('\n', content->size() - 2) : 0;
    const bool is_ours = content && last != std::string::npos &&
                         *content == marked_as_emitted(content->substr(0, last + 1));
    if (!is_ours) {
      return fail(ErrorKind::usage, "--emit would overwrite " + path + ", which it did not write",
                  "it was not written by --emit, or was changed since: give another folder with "
                  "--output-dir, or move the file");
    }
  }
  return check_replaceable(path);
}

}  // namespace plimsoll
