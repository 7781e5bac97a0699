#include "base/result.h"

#include <algorithm>

#include "base/printable.h"

namespace plimsoll {
namespace {

constexpr std::size_t kShownColumns = 78;

// Columns count bytes: what is not printable stays as long as it is.
std::string as_long(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    out += c.is_printable ? std::string(text.substr(0, c.length)) : std::string(c.length, '?');
    text.remove_prefix(c.length);
  }
  return out;
}

// The part of the line around the column that fits a terminal, and the caret under it.
std::string excerpt(const Diagnostic& d) {
  const std::string& line = d.source_line;
  const std::size_t at = d.column > 0 ? static_cast<std::size_t>(d.column) - 1 : 0;
  const std::size_t from =
      at > kShownColumns / 2 && line.size() > kShownColumns ? at - kShownColumns / 2 : 0;
  std::string out = "  " + as_long(line.substr(std::min(from, line.size()), kShownColumns)) + "\n";
  if (d.column > 0) out += "  " + std::string(std::min(at - from, kShownColumns), ' ') + "^\n";
  return out;
}

}  // namespace

Error located_in(const std::string& file, Error error) {
  for (Diagnostic& d : error.diagnostics) {
    if (d.file.empty()) d.file = file;
  }
  return error;
}

Error said_of(const std::string& what, Error error) {
  for (Diagnostic& d : error.diagnostics) {
    if (d.file.empty()) d.message = what + ": " + d.message;
  }
  return error;
}

std::string format(const Error& error) {
  std::string out;
  for (const Diagnostic& d : error.diagnostics) {
    if (!d.file.empty()) {
      out += visible(d.file);
      if (d.line > 0) out += ":" + std::to_string(d.line);
      if (d.line > 0 && d.column > 0) out += ":" + std::to_string(d.column);
      out += ": ";
    }
    out += "error: " + visible(d.message) + "\n";
    if (!d.source_line.empty()) out += excerpt(d);
    if (!d.hint.empty()) out += "  " + visible(d.hint) + "\n";
  }
  return out;
}

int exit_code(const Error& error) {
  if (error.kind == ErrorKind::usage || error.kind == ErrorKind::spec) return 2;
  return error.kind == ErrorKind::io ? 3 : 4;
}

}  // namespace plimsoll
