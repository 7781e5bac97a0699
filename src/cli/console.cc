#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "base/printable.h"
#include "base/redaction.h"
#include "base/replacement_file.h"
#include "cli/caller.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

// 0 or the errno of the write that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::string fit_to_print(std::string_view text) { return visible_lines(redacted(text)); }

// 0: no terminal, so that a message stays one line for whoever reads it from a file.
std::size_t columns_of_stderr() {
  constexpr int kMost = 80;  // longer lines are hard to read, however wide the terminal is
  if (isatty(STDERR_FILENO) != 1) return 0;
  return static_cast<std::size_t>(std::min(terminal_columns(STDERR_FILENO).value_or(kMost), kMost));
}

}  // namespace

std::optional<int> terminal_columns(int fd) {
  winsize size = {};
  const bool is_known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::optional(int{size.ws_col}) : std::nullopt;
}

std::string within(const std::string& text, std::size_t columns) {
  if (columns == 0) return text;
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += width_of(line) <= columns
               ? line + "\n"
               : paragraph(std::string(indent, ' '), line.substr(indent), indent, columns);
  }
  return out;
}

int print_result(std::string_view answer) {
  const std::string text = fit_to_print(answer);
  if (Caller* caller = current_caller()) {
    caller->results += text;
    return 0;
  }
  const int failure = write_all(STDOUT_FILENO, text);
  if (failure == 0 || failure == EPIPE) return 0;
  return report(
      {ErrorKind::io,
       {{{}, 0, 0, "cannot write to stdout: " + std::string(std::strerror(failure)), {}, {}}}});
}

void print_error(std::string_view message) {
  const std::string text = fit_to_print(message);
  if (Caller* caller = current_caller()) {
    caller->messages += text;
  } else {
    write_all(STDERR_FILENO, within(text, columns_of_stderr()));
  }
}

void print_progress(std::string_view before, std::string_view text, std::string_view after) {
  const std::string shown = visible(redacted(text));
  write_all(STDERR_FILENO, std::string(before) + shown + std::string(after));
}

Result<std::string> read_input() {
  if (const Caller* caller = current_caller()) return caller->input;
  return read_file("/dev/stdin");
}

int report(const Error& error) {
  if (Caller* caller = current_caller()) {
    for (Diagnostic d : error.diagnostics) {
      for (std::string* text : {&d.file, &d.message, &d.hint}) *text = visible(redacted(*text));
      caller->problems.push_back(std::move(d));
    }
  }
  print_error(format(error));
  return exit_code(error);
}

int hand_over(std::string_view answer, const std::vector<SideFile>& files, int exit_code) {
  int failure = print_result(answer);
  for (const SideFile& file : files) {
    const auto written = file();
    if (written) continue;
    const int code = report(written.error());
    if (failure == 0) failure = code;
  }
  return failure != 0 ? failure : exit_code;
}

SideFile side_file(const std::string& path, std::function<std::string()> text) {
  return [path, text = std::move(text)] { return replace_file(path, text()); };
}

}  // namespace plimsoll
