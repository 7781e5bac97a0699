// Can any line of a journal do harm, damaged or made with a checksum that fits?
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/journal.h"
#include "base/record.h"
#include "planner/probe_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plimsoll;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)text_of_record(text);
  (void)looks_like_record(text);
  (void)journal_version(text);
  (void)parse_journal_head(text);
  if (const auto entry = parse_journal_entry(text)) {
    // What was read is written so that it is read again.
    const std::string line = journal_line(*entry);
    const auto again = text_of_record(std::string_view(line).substr(0, line.size() - 1));
    if (!again || !parse_journal_entry(*again)) __builtin_trap();
    const auto probe = read_probe(entry->result);
    if (probe && !is_probe(json_of_probe(*probe))) __builtin_trap();
  }
  return 0;
}
