// Text of single values in the files a run leaves behind, appended to a buffer.
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace plimsoll {

/// `value` x 10^-places, exactly, without trailing zeros: (1230, 3) is 1.23. Not negative.
void append_decimal(std::int64_t value, int places, fmt::memory_buffer* out);

/// A JSON string with its quotes.
void append_json_text(std::string_view text, fmt::memory_buffer* out);

/// A CSV field, quoted if it has to be (RFC 4180).
void append_csv_text(std::string_view text, fmt::memory_buffer* out);

}  // namespace plimsoll
