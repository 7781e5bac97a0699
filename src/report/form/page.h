// The frame of an HTML report: one file without external requests, readable without scripts, light
// or dark as the reader's system is, black on white in print. What stands in it is the report's.
//
// Text inside markup that is well-formed as HTML and as XML.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/quoting.h"
#include "report/form/table.h"

namespace plimsoll {

/// `<name attributes>content</name>`; the content is markup already, and so are the attributes.
std::string element(std::string_view name, std::string_view attributes, std::string_view content);

/// A text as markup: flags, and what stands in backticks, as code, which is not broken.
std::string prose(std::string_view text);

/// A figure as it is shown, with the exact value for programs: `<data value="63.13">63.1</data>`.
std::string figure(std::string_view key, double value, std::string_view shown);

/// The page of a report (text_report.h) of this verb that was made with Style::markup, under its
/// title (a text). `command` asks the same again, and stands in the last section with what else may
/// be typed (markup). At its end the page says what its labels mean.
std::string report_page(std::string_view verb, std::string_view title, std::string_view report,
                        std::string_view command, std::string_view more = {});

/// A title with the moment when the report was made; empty: that is left out.
std::string dated(const std::string& title, const std::string& timestamp);

/// A heading (text) and what stands under it (markup); nothing if that is empty. Level 3 stands
/// within one of level 2.
std::string section(std::string_view heading, std::string_view content, int level = 2);
/// The same without an end, for what is made piece by piece: "</section>" ends it.
std::string section_begin(std::string_view heading, int level = 2);

/// The verdict of a report as the heading of its page, with a capital letter.
std::string page_heading(std::string verdict);

/// A figure in large type and what it is; nothing for what is no number. Stands among tiles().
std::string tile(std::string_view key, double value, std::string_view shown, std::string_view what);
std::string tiles(std::string_view each);

/// A text as a paragraph of its own.
std::string page_paragraph(std::string_view text);

/// Paragraphs as a list; nothing without any.
std::string bullets(const std::vector<std::string>& texts);

/// A picture (markup) under what it shows: the finding, and how to read it (texts). `curve`: what
/// it shows, for programs.
std::string page_figure(std::string_view finding, std::string_view detail, std::string_view picture,
                        const Json& curve = {});

/// A command to copy; no line ends within one of its flags.
std::string command_block(std::string_view command);

/// The class of an element in this mood: "tight" or "short"; empty where all is well.
std::string_view mood_class(Mood mood);

/// A table that sorts on a click where scripts run: by the value of a cell, else by its text.
class PageTable {
 public:
  struct Cell {
    std::string text = {};
    std::optional<double> value = {};  ///< of a figure, which is aligned to the right
    std::string key = {};              ///< id of the figure
    std::string_view mood = {};        ///< "tight" or "short": how bad its figure is
  };

  /// Texts, not markup.
  PageTable(std::string caption, std::vector<std::string> header);

  /// `mark`: the row that the page is about.
  void add(const std::vector<Cell>& cells, bool mark = false);
  std::string markup() const;

 private:
  std::string caption_;
  std::vector<std::string> header_;
  std::vector<bool> is_figure_;
  bool ends_in_text_ = false;  ///< a last column that stands below its row where there is no room
  std::string rows_;
};

// The steps by which report_page() completes its body.

/// A section with the definitions of its labels, as `plimsoll explain` has them: heads of columns
/// and lines, what stands under large figures, verdicts in cells. Nothing where none is known. A
/// label that several verbs have means what it does for this verb. The script of the page
/// (report.js) shows them beside the labels as well.
std::string words_section(std::string_view body, std::string_view verb);

/// The markup with such spaces as no line ends at, between a number and its unit, outside of tags,
/// scripts and commands. "p99 ms" is a name, no quantity.
std::string with_whole_quantities(std::string_view markup);

// A table of thousands of rows on a page: its texts as data, of which report.js shows a part,
// sorted and filtered as the reader asks. As markup these rows would be too many bytes.

class DataTable {
 public:
  /// `without`: what is read where no script runs, such as where else the rows are. Texts.
  DataTable(std::string caption, std::string without, std::vector<std::string> heads);

  /// Rows are numbered from 1 by themselves.
  void add(const std::vector<std::string>& cells);

  /// Nothing without rows. Columns in which nothing ever stands are left out.
  std::string markup() const;

 private:
  /// Its different texts, and which of them how often in a row: few bytes where texts repeat.
  struct Packed {
    std::string head;
    std::vector<std::string> texts;
    std::map<std::string, std::size_t> places;
    std::string runs;  ///< ended ones: "0*4 1 2*3 "
    std::size_t last = 0;
    std::size_t times = 0;

    void add(const std::string& text);
    std::string all_runs() const;
  };

  std::string caption_;
  std::string without_;
  std::vector<Packed> columns_;
};

}  // namespace plimsoll
