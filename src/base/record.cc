#include "base/record.h"

#include <cstddef>

#include <fmt/format.h>

#include "base/hash.h"

namespace plimsoll {
namespace {

constexpr std::size_t kChecksumDigits = 8;
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kDigits = "0123456789";

}  // namespace

std::string journal_record(std::string_view text) {
  const std::string measured = fmt::format("{} {}", text.size(), text);
  return fmt::format("{:08x} {}\n", crc32_of(measured), measured);
}

std::optional<std::string_view> text_of_record(std::string_view line) {
  const std::size_t length = line.find(' ');
  const std::size_t text = line.find(' ', length + 1);
  if (length == std::string_view::npos || text == std::string_view::npos) return {};
  const std::string_view found = line.substr(text + 1);
  const std::string written = journal_record(found);
  return line == std::string_view(written).substr(0, written.size() - 1) ? std::optional(found)
                                                                         : std::nullopt;
}

bool looks_like_record(std::string_view line) {
  const std::size_t checksum = line.find_first_not_of(kHexDigits);
  if (checksum != kChecksumDigits || line[checksum] != ' ') return false;
  const std::size_t length = line.find_first_not_of(kDigits, checksum + 1);
  return length != std::string_view::npos && length > checksum + 1 && line[length] == ' ';
}

}  // namespace plimsoll
