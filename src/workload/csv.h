// The one CSV reader (RFC 4180: quoted fields may hold commas, doubled quotes and line ends) and a
// typed table over it, whose columns are found by name. Every complaint has file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workload/line_reader.h"

namespace plimsoll {

/// Records of a CSV file. Empty lines are skipped.
class CsvReader {
 public:
  explicit CsvReader(LineReader lines) : lines_(std::move(lines)) {}

  /// Goes to the next record; false at the end.
  Result<bool> next();

  std::size_t size() const { return fields_.size(); }
  /// Without its quotes; valid until next().
  std::string_view field(std::size_t i) const {
    return std::string_view(text_).substr(fields_[i].begin, fields_[i].length);
  }

  const std::string& file() const { return lines_.file(); }
  /// The line of the end of the record, which is also its beginning unless a field has line ends.
  int line() const { return lines_.line_number(); }

  /// A spec error at field i; with i == size(), at the end of the record.
  tl::unexpected<Error> error(std::size_t i, std::string message, std::string hint = {}) const;

 private:
  struct Field {
    std::size_t begin = 0;  // in text_
    std::size_t length = 0;
    int line = 0;
    std::size_t column = 0;  // 1-based
  };

  Result<bool> parse_record();
  Result<std::size_t> parse_quoted(std::size_t at);
  tl::unexpected<Error> error_at(int line, std::size_t column, std::string message,
                                 std::string hint) const;

  LineReader lines_;
  std::string text_;  // the fields of the record, unquoted, one after the other
  std::vector<Field> fields_;
};

/// The columns that a CSV format demands in its header. A column's number is its place in
/// `required` followed by `optional`, whatever the order in the file.
struct CsvFormat {
  std::vector<std::string> required;
  std::vector<std::string> optional;
  bool foreign_columns = false;  ///< others are skipped instead of refused
};

/// Typed access to the rows. A cell that is not what was asked for gives zero and the error is
/// kept; next() returns the first one, so a row is read without a check per cell.
class CsvTable {
 public:
  /// Reads and checks the header.
  static Result<CsvTable> open(LineReader lines, const CsvFormat& format);

  /// Goes to the next row; false at the end. Fails if the last row had an error.
  Result<bool> next();

  /// Whether the file has this optional column.
  bool has(std::size_t column) const { return place_[column] != kAbsent; }

  /// Empty where the file has no such column; a number or truth value of it is an error.
  std::string_view text(std::size_t column) const {
    return has(column) ? reader_.field(place_[column]) : std::string_view();
  }
  /// Printable text of one line, as csv_text() was given it.
  std::string_view name(std::size_t column);
  std::int64_t integer(std::size_t column, std::int64_t min, std::int64_t max);
  double number(std::size_t column, double min, double max);
  /// A decimal number in [0, max] with at most three digits after the point, exactly, times 1000.
  std::int64_t thousandths(std::size_t column, std::int64_t max);
  bool boolean(std::size_t column);  ///< `true` or `false`

  /// Notes an error at a cell of the current row.
  void error(std::size_t column, std::string message, std::string hint = {});

  std::int64_t rows() const { return rows_; }
  const std::string& file() const { return reader_.file(); }

 private:
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  explicit CsvTable(CsvReader reader) : reader_(std::move(reader)) {}
  Result<void> read_header(const CsvFormat& format);
  Result<void> check_names(const CsvFormat& format) const;
  void wrong_value(std::size_t column, const std::string& expected);

  CsvReader reader_;
  std::vector<std::string> names_;  // by column number
  std::vector<std::size_t> place_;  // field number in the file, by column number
  std::size_t width_ = 0;           // fields in each row
  std::int64_t rows_ = 0;
  std::optional<Error> error_;
};

}  // namespace plimsoll
