#include "base/result.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kShownColumns = 78;

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f) c = '?';
  }
  return out;
}

// The part of the line around the column that fits a terminal, and the caret under it.
std::string excerpt(const Diagnostic& d) {
  const std::string line = printable(d.source_line);
  const std::size_t at = d.column > 0 ? static_cast<std::size_t>(d.column) - 1 : 0;
  const std::size_t from =
      at > kShownColumns / 2 && line.size() > kShownColumns ? at - kShownColumns / 2 : 0;
  std::string out = "  " + line.substr(std::min(from, line.size()), kShownColumns) + "\n";
  if (d.column > 0) out += "  " + std::string(std::min(at - from, kShownColumns), ' ') + "^\n";
  return out;
}

}  // namespace

std::string format(const Error& error) {
  std::string out;
  for (const Diagnostic& d : error.diagnostics) {
    if (!d.file.empty()) {
      out += printable(d.file);
      if (d.line > 0) out += ":" + std::to_string(d.line);
      if (d.line > 0 && d.column > 0) out += ":" + std::to_string(d.column);
      out += ": ";
    }
    out += "error: " + printable(d.message) + "\n";
    if (!d.source_line.empty()) out += excerpt(d);
    if (!d.hint.empty()) out += "  " + printable(d.hint) + "\n";
  }
  return out;
}

int exit_code(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage:
    case ErrorKind::spec:
      return 2;
    case ErrorKind::io:
      return 3;
    case ErrorKind::internal:
      return 4;
  }
  return 4;
}

}  // namespace plimsoll
