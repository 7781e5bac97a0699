// A question that can be asked over HTTP: its fields, and who answers. The room knows no flag and
// no simulation: cli/api_verbs.cc makes these rows of the tables of verbs and flags, and the API,
// its description and the tools for agents are made of nothing else.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace plimsoll {

struct ApiField {
  enum class Kind { text, integer, number, boolean, document, texts };

  std::string name;
  Kind kind = Kind::text;
  std::string help;
  std::vector<std::string> choices{};  ///< empty: any
  bool required = false;
};

struct ApiAnswer {
  int exit_code = 0;                   ///< as of the command line
  std::string json;                    ///< as --json prints it; empty after an error
  std::string verdict;                 ///< as --quiet prints it, without the line break
  std::string charts;                  ///< markup, where they were asked for and the verb draws any
  std::string page;                    ///< as --html writes it, likewise
  std::string command;                 ///< for a POSIX shell, that gives the same answer
  std::string messages;                ///< notes, and errors as a terminal shows them
  std::vector<Diagnostic> problems{};  ///< the errors in parts
};

/// Who waits for an answer. Both may be called on any thread.
struct ApiListener {
  std::function<bool()> stopped;  ///< asked often, whether it is enough
  /// Gets an object about the work now and then, which openapi.cc describes; none: nobody looks.
  std::function<void(const Json&)> on_progress{};
  bool draws = false;  ///< wants charts of the answer, and of what is known on the way
  bool wants_page = false;
};

struct ApiVerb {
  std::string name;
  std::string question;
  std::string guidance;  ///< when to ask it, what it needs, what matters most, an example
  std::vector<ApiField> fields;
  /// `fields` is an object.
  std::function<ApiAnswer(const Json& fields, const ApiListener&)> answer;
};

/// The values that the fields may have, as JSON Schema (2020-12).
Json schema_of(const ApiVerb& verb);

/// The form of an answer, likewise (serve/answers/, written by tools/answer-schemas); {} of a
/// verb that has none there.
Json answer_schema_of(const ApiVerb& verb);

}  // namespace plimsoll
