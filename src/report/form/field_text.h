// Text of single values in the files a run leaves behind, appended to a buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace plimsoll {

/// `value` x 10^-places, exactly, without trailing zeros: (1230, 3) is 1.23. Not negative.
void append_decimal(std::int64_t value, int places, fmt::memory_buffer* out);

/// The buffer's own append() is made for any sequence, at several times the cost.
inline void append_text(std::string_view text, fmt::memory_buffer* out) {
  const std::size_t before = out->size();
  out->resize(before + text.size());
  std::copy(text.begin(), text.end(), out->data() + before);
}

inline void append_integer(std::int64_t value, fmt::memory_buffer* out) {
  const fmt::format_int digits(value);
  append_text({digits.data(), digits.size()}, out);
}

/// A flag of a printed command, as a POSIX shell takes it. Of a word of a command line: "--rate=10"
/// -> " --rate 10", "--check" -> " --check". A switch that is off, and whatever else reads "false"
/// or like a flag, stays one word: " --check=false".
std::string typed_word(const std::string& word);

}  // namespace plimsoll
