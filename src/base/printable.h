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

}  // namespace plimsoll
