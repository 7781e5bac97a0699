// Foreign text inside the languages that the program writes: one function for each. Whatever a name
// holds, what it becomes is one word, one comment, one value or one cell, and nothing more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// As one word of a POSIX shell, in single quotes where it needs them.
std::string shell_quoted(std::string_view text);

/// The words of a line as a POSIX shell splits it; nothing in them is expanded. None: a quote or a
/// backslash has nothing to end it.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

/// As a comment of shells and of YAML: one line with its end, whatever the text holds.
std::string commented(std::string_view text);

/// As a YAML scalar or key: plain if it is a simple word, else in double quotes.
std::string yaml_text(std::string_view text);

/// As a JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(std::string_view text);

/// As a CSV cell, quoted if it has to be (RFC 4180). What a spreadsheet would take for a formula,
/// as it begins with = + - or @ and is no number, begins with a single quote instead.
std::string csv_text(std::string_view text);
/// A cell without the single quote that csv_text() gave it.
std::string_view without_formula_quote(std::string_view cell);

/// As content of HTML and XML, or as a value in double quotes. What is not printable, but for line
/// ends and tabs, becomes U+FFFD.
std::string escaped(std::string_view text);

}  // namespace plimsoll
