// Which characters of foreign text are shown, and which would act on whoever shows them: control
// characters (C0 with line ends and tabs, DEL, C1), line separators and bidirectional marks.
// Readers refuse names that hold one; whatever leaves the program shows them as escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll {

struct Character {
  char32_t code = 0;       ///< of Unicode; the byte itself where it is no UTF-8
  std::size_t length = 1;  ///< in bytes
  bool is_utf8 = true;
  bool is_printable = true;
};

/// The one at the start of a text that is not empty.
Character first_character(std::string_view text);

/// Why a name from a file or a flag is refused, such as "holds a line end (U+000A)"; empty: it is
/// not.
std::string fault_of_name(std::string_view name);
/// How to mend it.
inline constexpr const char* kOneLine = "names are one line of visible characters: write it anew";

/// One line that can be shown: `\u001b` for what is not printable, `\xff` for a byte that is no
/// UTF-8. JSON stays the same JSON.
std::string visible(std::string_view text);

/// The same for an answer as a whole: its line ends and tabs stay, and so do the colours of
/// verdicts (bold red, green or yellow) and bold labels.
std::string visible_lines(std::string_view text);

// UTF-8 checks for text that comes from outside.

/// Length in bytes of the character at the start of a text that is not empty; 0 if it is not
/// well-formed.
std::size_t utf8_length(std::string_view text);

/// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms, no
/// surrogates, nothing past U+10FFFF); npos when the whole text is well-formed.
std::size_t find_invalid_utf8(std::string_view text);

/// The text without a leading byte order mark.
std::string_view without_bom(std::string_view text);

}  // namespace plimsoll
