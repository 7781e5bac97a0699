// A table of thousands of rows on a page: its texts as data, of which report.js shows a part,
// sorted and filtered as the reader asks. As markup these rows would be too many bytes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace plimsoll {

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
