// The one error vocabulary of the program. A function that can fail on user input returns
// Result<T>; nothing a user can write ends in an exception across rooms or in an abort.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace plimsoll {

/// Decides the exit code: spec and usage 2, io 3, internal 4.
enum class ErrorKind { usage, spec, io, internal };

/// One thing that is wrong: where, what, and how to mend it.
struct Diagnostic {
  std::string file;         ///< empty for command-line errors
  int line = 0;             ///< 1-based; 0 = the file as a whole
  int column = 0;           ///< 1-based; 0 = the line as a whole
  std::string message;      ///< what is wrong, in one sentence without a final period
  std::string hint;         ///< how to mend it; may be empty
  std::string source_line;  ///< the offending line, shown with a caret; may be empty
  std::string kind{};       ///< shared by messages that differ in their figures; may be empty
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::vector<Diagnostic> diagnostics;
};

template <class T>
using Result = tl::expected<T, Error>;

/// An error without a place in a file.
inline tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string hint = {},
                                  std::string kind_of_message = {}) {
  return tl::unexpected<Error>(Error{
      kind,
      {Diagnostic{{}, 0, 0, std::move(message), std::move(hint), {}, std::move(kind_of_message)}}});
}

/// An error at a place in a file.
inline tl::unexpected<Error> fail(ErrorKind kind, Diagnostic diagnostic) {
  return tl::unexpected<Error>(Error{kind, {std::move(diagnostic)}});
}

/// An error of a file as a whole.
inline tl::unexpected<Error> fail_in(ErrorKind kind, std::string file, std::string message,
                                     std::string hint = {}) {
  return fail(kind, Diagnostic{std::move(file), 0, 0, std::move(message), std::move(hint), {}});
}

/// An error of a line of a file.
inline tl::unexpected<Error> fail_at(ErrorKind kind, std::string file, int line,
                                     std::string message, std::string hint = {}) {
  return fail(kind, Diagnostic{std::move(file), line, 0, std::move(message), std::move(hint), {}});
}

/// Hands an error on to a caller that expects another type.
template <class T>
tl::unexpected<Error> pass_on(Result<T>& failed) {
  return tl::unexpected<Error>(std::move(failed.error()));
}

/// The error; what has no place in a file is in this one.
Error located_in(const std::string& file, Error error);

/// The error; messages that have no place in a file begin with `what` and a colon.
Error said_of(const std::string& what, Error error);

/// Names what a call returns, or hands its error on: `TRY(text, read_file(path));` and `text` is
/// the string. One statement of its own, in a function that returns a Result.
#define TRY(name, ...)                                   \
  auto name##_or_error = __VA_ARGS__;                    \
  if (!name##_or_error) return pass_on(name##_or_error); \
  auto name = *std::move(name##_or_error)

/// Moves what a call returned to its place; false where it is an error.
template <class T, class Place>
bool moved_to(Place* place, Result<T>& made) {
  if (made) *place = *std::move(made);
  return made.has_value();
}

/// The same for a place that is there already: `TRY_SET(request.slos, parse_slos(text));`.
#define TRY_SET(place, ...)                                                 \
  if (auto made_or_error = __VA_ARGS__; !moved_to(&(place), made_or_error)) \
  return pass_on(made_or_error)

/// The same for a call that returns nothing of use.
#define TRY_TO(...) \
  if (auto done_or_error = __VA_ARGS__; !done_or_error) return pass_on(done_or_error)

/// `file:line:column: message`, the line with a caret under the column (both cut to fit a
/// terminal), the hint. One block per diagnostic, each ending in a newline. What is not printable
/// is escaped (base/printable.h), and `?` in the line with the caret.
std::string format(const Error& error);

/// 2 for usage and spec errors, 3 for I/O, 4 for internal ones.
int exit_code(const Error& error);

}  // namespace plimsoll
