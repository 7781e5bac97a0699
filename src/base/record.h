// The frame that makes a line of a file certain: its checksum and its length stand before it, so
// that a bit that flipped and a line that was cut are both seen. docs/reference/outputs.md
// describes the bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// "CHECKSUM LENGTH TEXT" and a newline; `text` has no newline. CHECKSUM is the CRC-32 of
/// "LENGTH TEXT" as eight hexadecimal digits, LENGTH the bytes of `text` as a decimal number.
std::string journal_record(std::string_view text);

/// The text of a line (without its newline) that is exactly what journal_record() made; else none.
std::optional<std::string_view> text_of_record(std::string_view line);

/// Begins as a record does, whatever its checksum says.
bool looks_like_record(std::string_view line);

}  // namespace plimsoll
