#include "workload/csv.h"

#include <algorithm>

#include "base/lists.h"
#include "base/printable.h"
#include "base/quoting.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxFields = 1000;

// What stands in a cell, in quotes and cut to fit a message.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return "\"" + std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace

Result<bool> CsvReader::next() {
  do {
    Result<bool> more = lines_.next();
    if (!more || !*more) return more;
  } while (lines_.line().empty());
  return parse_record();
}

Result<bool> CsvReader::parse_record() {
  text_.clear();
  fields_.clear();
  std::size_t at = 0;
  for (;;) {
    Field field{text_.size(), 0, lines_.line_number(), at + 1};
    if (at < lines_.line().size() && lines_.line()[at] == '"') {
      TRY(end, parse_quoted(at));
      at = end;
    } else {
      const std::string_view line = lines_.line();
      const std::size_t end = std::min(line.find(',', at), line.size());
      const std::string_view plain = line.substr(at, end - at);
      if (const std::size_t quote = plain.find('"'); quote != std::string_view::npos) {
        return lines_.error(at + quote + 1, "a quote inside a field that is not quoted",
                            "put the whole field in quotes and double those inside");
      }
      text_.append(plain);
      at = end;
    }
    field.length = text_.size() - field.begin;
    fields_.push_back(field);
    if (fields_.size() > kMaxFields) {
      return lines_.error(at, "more than " + std::to_string(kMaxFields) + " fields in a row");
    }
    if (at == lines_.line().size()) return true;
    at += 1;  // the comma
  }
}

// Appends the quoted field that begins at `at` of the current line; it may end on a later line.
// Gives the position after the closing quote, where a comma or the end of the line must follow.
Result<std::size_t> CsvReader::parse_quoted(std::size_t at) {
  const int opening_line = lines_.line_number();
  const std::size_t opening_column = ++at;
  const auto not_closed = [&] {
    return error_at(opening_line, opening_column, "this quote is never closed", {});
  };
  for (;;) {
    const std::string_view line = lines_.line();
    const std::size_t quote = line.find('"', at);
    if (quote == std::string_view::npos) {
      text_.append(line.substr(at)).push_back('\n');
      if (text_.size() > LineReader::kMaxLineBytes) return not_closed();
      TRY(more, lines_.next());
      if (!more) return not_closed();
      at = 0;
      continue;
    }
    text_.append(line.substr(at, quote - at));
    at = quote + 1;
    if (at == line.size() || line[at] == ',') return at;
    if (line[at] != '"') {
      return lines_.error(at + 1, "text after the closing quote of a field",
                          "a quote inside a quoted field is written twice");
    }
    text_.push_back('"');
    at += 1;
  }
}

tl::unexpected<Error> CsvReader::error(std::size_t i, std::string message, std::string hint) const {
  if (i < fields_.size()) {
    return error_at(fields_[i].line, fields_[i].column, std::move(message), std::move(hint));
  }
  return lines_.error(lines_.line().size() + 1, std::move(message), std::move(hint));
}

// Of a record over several lines only the last is still at hand to be shown.
tl::unexpected<Error> CsvReader::error_at(int line, std::size_t column, std::string message,
                                          std::string hint) const {
  tl::unexpected<Error> error = lines_.error(column, std::move(message), std::move(hint));
  Diagnostic& d = error.value().diagnostics.front();
  if (d.line != line) {
    d.line = line;
    d.source_line.clear();
  }
  return error;
}

Result<CsvTable> CsvTable::open(LineReader lines, const CsvFormat& format) {
  CsvTable table{CsvReader(std::move(lines))};
  TRY_TO(table.read_header(format));
  return table;
}

Result<void> CsvTable::read_header(const CsvFormat& format) {
  const std::string example = "the first line must name the columns: " + join(format.required, ",");
  TRY(more, reader_.next());
  if (!more) {
    return fail_at(ErrorKind::spec, file(), 1, "the file is empty", example);
  }
  if (double number = 0; parse_double(reader_.field(0), &number)) {
    return reader_.error(0, "a number where the name of a column is expected", example);
  }
  if (Result<void> ok = check_names(format); !ok) return ok;

  width_ = reader_.size();
  names_ = format.required;
  append(&names_, format.optional);
  std::vector<std::string> present;
  for (std::size_t i = 0; i < width_; ++i) present.emplace_back(reader_.field(i));
  for (std::size_t column = 0; column < names_.size(); ++column) {
    const auto found = std::find(present.begin(), present.end(), names_[column]);
    if (found == present.end() && column < format.required.size()) {
      return reader_.error(0, "missing column \"" + names_[column] + "\"", example);
    }
    place_.push_back(found == present.end() ? kAbsent
                                            : static_cast<std::size_t>(found - present.begin()));
  }
  return {};
}

// Each name once, and none that the format does not know.
Result<void> CsvTable::check_names(const CsvFormat& format) const {
  std::vector<std::string> known = format.required;
  append(&known, format.optional);
  std::vector<std::string_view> seen;
  for (std::size_t i = 0; i < reader_.size(); ++i) {
    const std::string_view name = reader_.field(i);
    if (contains(seen, name)) {
      return reader_.error(i, "the column " + shown(name) + " appears twice");
    }
    seen.push_back(name);
    if (!format.foreign_columns && !contains(known, name)) {
      return reader_.error(i, "unknown column " + shown(name), suggestion(name, known));
    }
  }
  return {};
}

Result<bool> CsvTable::next() {
  if (error_) return tl::unexpected<Error>(*std::exchange(error_, std::nullopt));
  Result<bool> more = reader_.next();
  if (!more || !*more) return more;
  if (reader_.size() != width_) {
    const std::string message = "the row has " + std::to_string(reader_.size()) +
                                " fields where the header names " + std::to_string(width_);
    return reader_.error(std::min(width_, reader_.size()), message);
  }
  rows_ += 1;
  return true;
}

std::string_view CsvTable::name(std::size_t column) {
  const std::string fault = fault_of_name(text(column));
  if (!fault.empty()) error(column, "\"" + names_[column] + "\" " + fault, kOneLine);
  return without_formula_quote(text(column));
}

std::int64_t CsvTable::integer(std::size_t column, std::int64_t min, std::int64_t max) {
  long long value = 0;
  if (parse_int(text(column), &value) && value >= min && value <= max) return value;
  wrong_value(column,
              "a whole number in [" + std::to_string(min) + ", " + std::to_string(max) + "]");
  return 0;
}

double CsvTable::number(std::size_t column, double min, double max) {
  double value = 0;
  if (parse_double(text(column), &value) && value >= min && value <= max) return value;
  wrong_value(column, "a number in [" + shortest(min) + ", " + shortest(max) + "]");
  return 0;
}

std::int64_t CsvTable::thousandths(std::size_t column, std::int64_t max) {
  const std::string_view cell = text(column);
  const std::size_t point = std::min(cell.find('.'), cell.size());
  std::string digits(cell.substr(point == cell.size() ? point : point + 1));
  const bool plain = digits.size() <= 3 && (point == cell.size() || !digits.empty()) &&
                     digits.find_first_not_of("0123456789") == std::string::npos;
  digits.resize(3, '0');
  long long whole = 0;
  if (plain && parse_int(cell.substr(0, point), &whole) && cell.front() != '-' && whole <= max) {
    const std::int64_t value = 1000 * whole + std::stoi(digits);
    if (value <= 1000 * max) return value;
  }
  wrong_value(column, "a number in [0, " + std::to_string(max) +
                          "] with at most three digits after the point");
  return 0;
}

bool CsvTable::boolean(std::size_t column) {
  if (text(column) == "true") return true;
  if (text(column) != "false") wrong_value(column, "true or false");
  return false;
}

void CsvTable::wrong_value(std::size_t column, const std::string& expected) {
  error(column, "\"" + names_[column] + "\" must be " + expected + ", got " + shown(text(column)));
}

void CsvTable::error(std::size_t column, std::string message, std::string hint) {
  if (error_) return;
  if (!has(column)) {
    message = "the row needs the column \"" + names_[column] + "\", which the header does not name";
    hint = "add the column to the header and to each row";
  }
  const std::size_t field = has(column) ? place_[column] : reader_.size();
  error_ = reader_.error(field, std::move(message), std::move(hint)).value();
}

}  // namespace plimsoll
