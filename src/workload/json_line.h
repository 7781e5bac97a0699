// A cursor over one line of JSON: a flat object whose values are numbers or lists of numbers, as
// the trace formats have it. A general JSON library would give no columns for the errors and read
// a trace several times slower. Errors are made by the caller from the position.
#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll {

class JsonLine {
 public:
  explicit JsonLine(std::string_view line) : line_(line) {}

  /// Where the cursor is; before a token after any of the calls below. 1-based.
  std::size_t column() const { return at_ + 1; }

  /// Skips white space, then takes `c` if it comes next.
  bool take(char c);
  /// Takes the text of a string without escapes.
  bool take_string(std::string_view* text);
  /// Takes the text of a number, to be checked by whoever parses it.
  bool take_number(std::string_view* text);
  /// True when only white space is left.
  bool at_end();

 private:
  void skip_space();

  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace plimsoll
