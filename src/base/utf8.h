// UTF-8 checks for text that comes from outside.
#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll {

/// Length in bytes of the character at the start of a text that is not empty; 0 if it is not
/// well-formed.
std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms, no
/// surrogates, nothing past U+10FFFF); npos when the whole text is well-formed.
std::size_t find_invalid_utf8(std::string_view text);

/// The text without a leading byte order mark.
std::string_view without_bom(std::string_view text);

}  // namespace plimsoll
