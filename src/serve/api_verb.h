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
  std::string command;                 ///< for a POSIX shell, that gives the same answer
  std::string messages;                ///< notes, and errors as a terminal shows them
  std::vector<Diagnostic> problems{};  ///< the errors in parts
};

struct ApiVerb {
  std::string name;
  std::string question;
  std::string guidance;  ///< when to ask it, what it needs, what matters most, an example
  std::vector<ApiField> fields;
  /// `fields` is an object. `stopped` is asked often, on any thread, whether it is enough;
  /// `on_progress`, where there is one, gets an object about the work now and then, on any thread;
  /// openapi.cc describes it.
  using Answer = std::function<ApiAnswer(const Json& fields, std::function<bool()> stopped,
                                         std::function<void(const Json&)> on_progress)>;
  Answer answer;
};

/// What the fields may be, as JSON Schema (2020-12).
Json schema_of(const ApiVerb& verb);

}  // namespace plimsoll
