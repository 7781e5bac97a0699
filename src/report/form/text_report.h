// A report from its verdict to the commands worth running next, laid out within the width of a
// terminal, or as the body of a page (Style::markup): what stands in it is said once for both.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/form/table.h"

namespace plimsoll {

/// A command line on lines of at most `width` columns after the first `indent`, each but the last
/// ended by a backslash: a POSIX shell reads them as one. It is broken between words alone; a
/// document that follows it (<<'END') stays as it is.
std::string command_lines(const std::string& command, std::size_t indent, std::size_t width);

inline constexpr std::size_t kEmittedColumns = 80;  ///< of files of --emit

/// As comments of shells and of YAML, as commented() has them: what is longer than a line of an
/// emitted file, wrapped to several.
std::string comment_lines(const std::string& text);

class TextReport {
 public:
  explicit TextReport(const Style& style) : style_(style) {}

  /// A paragraph with an empty line below; its first `marked` bytes are what is good or bad.
  void verdict(const std::string& text, std::size_t marked, Mood mood);
  /// With an empty line below; nothing without columns. The arrow " <-" at the end of a cell marks
  /// its row, on a page by a colour.
  void table(std::vector<Column> columns);
  /// A labelled paragraph; nothing if the text is empty. Without a label it goes on under the one
  /// before.
  void line(const std::string& label, const std::string& text);
  /// The same of a text whose blanks mean something: one line as it is.
  void drawing(const std::string& label, const std::string& text);
  /// A label once, and a paragraph for each text.
  void lines(const std::string& label, const std::vector<std::string>& texts);
  /// A command to paste, under what it is for.
  void next(const std::string& command, const std::string& purpose);
  /// Begins a section of the page, with an anchor; nothing on a terminal.
  void begin_section(const std::string& heading);
  /// A heading within the evidence.
  void heading(const std::string& text);
  /// A paragraph under a heading.
  void note(const std::string& text);
  /// Adds what is said of many, and their names: on a page folded away.
  void listing(const std::string& what, const std::vector<std::string>& names);
  /// Adds the text as it is.
  void add(const std::string& text);
  /// Adds what only a page has: charts and the like, as markup.
  void figures(const std::function<std::string()>& markup);

  const Style& style() const { return style_; }
  const std::string& text();

  /// The column where texts begin, after their labels.
  static constexpr std::size_t kIndent = 13;

 private:
  void describe(const std::string& label, const std::string& markup);
  void end_lines();
  void end_section();

  Style style_;
  std::string text_;
  std::string lines_;  ///< of a page: descriptions that belong together
  bool has_next_ = false;
  bool in_section_ = false;
};

}  // namespace plimsoll
