#include "cli/api_verbs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/quoting.h"
#include "base/text.h"
#include "cli/api_guidance.h"
#include "cli/caller.h"
#include "cli/help.h"
#include "cli/typed_flags.h"
#include "report/form/field_text.h"

namespace plimsoll {
namespace {

constexpr std::string_view kAsked[]{"capacity", "run",     "plan", "forecast",
                                    "describe", "explain", "list"};
constexpr const char* kFiles = "files";

std::string field_name(std::string_view flag) { return std::string(flag.substr(2)); }

ApiField::Kind field_kind(const Value& value) {
  if (value.is_switch) return ApiField::Kind::boolean;
  if (value.kind == ValueKind::integer) return ApiField::Kind::integer;
  return value.kind == ValueKind::number ? ApiField::Kind::number : ApiField::Kind::text;
}

// A word that is no name of something known is a file.
bool reads_file(const Arguments& arguments) {
  return arguments.most > 0 && arguments.choices == nullptr && arguments.known_names == nullptr;
}

void add_argument(const Verb& verb, std::vector<ApiField>* fields) {
  const Arguments& arguments = verb.arguments;
  if (!arguments.file_flag.empty()) {
    const auto flag = std::ranges::find(flags(), arguments.file_flag, &Flag::name);
    fields->push_back({field_name(flag->name), ApiField::Kind::document, flag_help(*flag)});
  } else if (arguments.most > 0) {
    const bool is_file = reads_file(arguments);
    if (is_file && verb.has(FlagGroup::trace)) return;  // each kind of file has a field
    fields->push_back(
        {to_lower(arguments.placeholder), is_file ? ApiField::Kind::document : ApiField::Kind::text,
         is_file ? "The document, as text (YAML) or as an object" : std::string(verb.question),
         arguments.choices == nullptr ? std::vector<std::string>() : arguments.choices(),
         arguments.least > 0 || verb.name == "explain"});
  }
}

// Traffic and fleets are asked about by sending them.
bool is_sent(const Flag& flag) {
  return flag.group == FlagGroup::trace || flag.name == "--workload-spec" || flag.name == "--fleet";
}

bool has_field(const std::vector<ApiField>& fields, std::string_view name) {
  return contains(fields, name, &ApiField::name);
}

std::vector<ApiField> fields_of(const Verb& verb) {
  std::vector<ApiField> fields;
  add_argument(verb, &fields);
  for (const Flag& flag : flags()) {
    if (!verb.has(flag.group) || !flag.value.asks) continue;
    const Flag own = flag_for(verb, flag);
    if (flag.takes_path()) {
      if (is_sent(flag) && !has_field(fields, field_name(own.name)))
        fields.push_back({field_name(own.name), ApiField::Kind::document,
                          "The text of that file, as it is: " + flag_help(own)});
      continue;
    }
    fields.push_back(
        {field_name(own.name), field_kind(own.value), flag_help(own), own.value.choices});
  }
  if (contains(fields, ApiField::Kind::document, &ApiField::kind)) {
    fields.push_back({kFiles, ApiField::Kind::texts,
                      "Texts of the files that the document names, by their names"});
  }
  return fields;
}

// Of values that are no texts of files; errors repeat them.
constexpr std::int64_t kLongestValue = 4096;
constexpr std::int64_t kShownFields = 12;

tl::unexpected<Error> unknown_field(const Verb& verb, const std::vector<ApiField>& fields,
                                    const std::string& name) {
  if (const Flag* flag = verb.flag("--" + name)) {
    const bool is_field = has_field(fields, field_name(flag->name));
    return fail(ErrorKind::usage, "\"" + name + "\" is not a field of this request",
                is_field             ? "it is called \"" + field_name(flag->name) + "\""
                : flag->takes_path() ? flag->name + " names files of this machine: no request may"
                                     : flag->name + " is for the command line alone");
  }
  if (name.starts_with("--") && has_field(fields, name.substr(2))) {
    return fail(ErrorKind::usage, "unknown field \"" + name + "\"",
                "it is called \"" + name.substr(2) + "\", without dashes");
  }
  const std::vector<std::string> names = mapped(fields, &ApiField::name);
  const bool is_short = std::ssize(names) <= kShownFields || !nearest_name(name, names).empty();
  return fail(ErrorKind::usage, "unknown field \"" + name + "\"",
              is_short ? suggestion(name, names)
                       : fmt::format("none of the {} fields has a name like that: /openapi.json "
                                     "describes them",
                                     names.size()));
}

// A number is the name of nothing, but it may be a price or a list of one.
bool takes_name(std::string_view field) {
  constexpr std::string_view kNames[]{"model", "draft-model", "hardware", "prefill-hardware",
                                      "decode-hardware"};
  return contains(kNames, field);
}

tl::unexpected<Error> wrong_type(const std::string& name, const std::string& expected) {
  return fail(ErrorKind::usage, "\"" + name + "\" must be " + expected);
}

std::string expected_of(ApiField::Kind kind) {
  switch (kind) {
    case ApiField::Kind::integer:
      return "a whole number";
    case ApiField::Kind::number:
      return "a number";
    case ApiField::Kind::boolean:
      return "true or false";
    default:
      return "a text, in quotes";
  }
}

/// The words of a command line that asks the same, and the texts that it reads.
class Question {
 public:
  Question(const Verb& verb, Caller* caller) : verb_(verb), caller_(*caller) {
    words_.emplace_back(verb.name);
  }

  Result<void> add(const ApiField& field, const Json& value) {
    if (field.kind == ApiField::Kind::texts) return add_files(field.name, value);
    if (field.kind == ApiField::Kind::document) return add_document(field.name, value);
    if (value.is_array())
      return wrong_type(field.name, "one text: several values stand in it, with commas between");
    if (value.is_null() || value.is_structured())
      return wrong_type(field.name, expected_of(field.kind) + "; leave it out if you have none");
    if (takes_name(field.name) && !value.is_string())
      return wrong_type(field.name, "a text, in quotes; " + value.dump() + " is none");
    std::string text = value.is_string() ? value.as_string() : value.dump();
    if (std::ssize(text) > kLongestValue)
      return wrong_type(field.name, fmt::format("of at most {} bytes", grouped(kLongestValue)));
    // A name is given by its flag: a word would be a file's, if there is one.
    const bool is_word = field.name == to_lower(verb_.arguments.placeholder);
    if (!is_word || !verb_.arguments.name_flag.empty()) {
      words_.push_back(flag_word(*verb_.flag("--" + field.name), text));
      return {};
    }
    // A word that is asked about is no flag of the question.
    words_.push_back(text.substr(std::min(text.find_first_not_of('-'), text.size())));
    return {};
  }

  std::vector<std::string>& words() { return words_; }

  std::string command() const {
    const Arguments& arguments = verb_.arguments;
    const bool word_is_name = "--" + to_lower(arguments.placeholder) == arguments.name_flag;
    const std::string name = std::string(arguments.name_flag) + "=";
    std::string text = "plimsoll " + words_.front();
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (word_is_name && word.starts_with(name)) {
        text += " " + shell_quoted(word.substr(name.size()));
      } else {
        text += word.starts_with("--") ? typed_word(word) : " " + shell_quoted(word);
      }
    }
    return text;
  }

 private:
  Result<void> add_files(const std::string& name, const Json& value) {
    if (!value.is_object()) return wrong_type(name, "an object of texts, by the names of files");
    for (const auto& [file, text] : value.items()) {
      if (!text.is_string()) return wrong_type(name, "an object of texts; " + file + " is none");
      caller_.files[file] = text.as_string();
    }
    return {};
  }

  Result<void> add_document(const std::string& name, const Json& value) {
    if (!value.is_object() && !value.is_string())
      return wrong_type(name, "the text of a document, or an object");
    const bool is_data = name == "trace" || name == "trace-data";  // in a format of its own
    const std::string file = name + (is_data ? "" : value.is_string() ? ".yaml" : ".json");
    caller_.files[file] = value.is_string() ? value.as_string() : value.dump(1);
    const std::string flag = "--" + name;
    const bool is_flag = contains(flags(), flag, &Flag::name);
    words_.push_back(is_flag ? flag + "=" + file : file);
    return {};
  }

  const Verb& verb_;
  Caller& caller_;
  std::vector<std::string> words_;
};

Result<void> read_fields(const Verb& verb, const std::vector<ApiField>& fields, const Json& given,
                         Question* question) {
  for (const auto& [name, value] : given.items()) {
    const auto field = std::ranges::find(fields, name, &ApiField::name);
    if (field == fields.end()) return unknown_field(verb, fields, name);
    TRY_TO(question->add(*field, value));
  }
  for (const ApiField& field : fields) {
    if (field.required && !given.contains(field.name))
      return fail(ErrorKind::usage, "\"" + field.name + "\" is missing", field.help);
  }
  return {};
}

// Messages speak of flags, which are fields here; commands between backticks stay.
std::string in_fields(const std::string& text, const std::vector<ApiField>& fields) {
  std::string out;
  bool is_command = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '`') is_command = !is_command;
    std::size_t end = at + 1;
    if (!is_command && text.compare(at, 2, "--") == 0) {
      end = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at),
                     text.size());
      const std::string name = text.substr(at + 2, end - at - 2);
      if (has_field(fields, name)) {
        out += "\"" + name + "\"";
        at = end;
        continue;
      }
    }
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

std::string guidance_text(std::string_view verb) {
  const ApiGuidance& guidance = *guidance_for(verb);
  return fmt::format("{} Example: {}", guidance.text, guidance.example);
}

ApiAnswer answer_to(const Verb& verb, const std::vector<ApiField>& fields, const Json& given,
                    const ApiListener& listener) {
  Caller caller;
  static_cast<ApiListener&>(caller) = listener;
  caller.sealed = true;
  Question question(verb, &caller);
  ApiAnswer answer;
  if (const auto read = read_fields(verb, fields, given, &question); !read) {
    answer.exit_code = exit_code(read.error());
    answer.messages = format(read.error());
    answer.problems = read.error().diagnostics;
    return answer;
  }
  answer.command = question.command();
  question.words().emplace_back("--json");
  answer.exit_code = run_command_line(question.words(), caller);
  answer.json = std::move(caller.results);
  answer.verdict = std::move(caller.headline);
  answer.charts = std::move(caller.charts);
  answer.page = std::move(caller.page);
  if (answer.verdict.ends_with('\n')) answer.verdict.pop_back();
  answer.messages = in_fields(caller.messages, fields);
  answer.problems = std::move(caller.problems);
  for (Diagnostic& problem : answer.problems) {
    problem.message = in_fields(problem.message, fields);
    problem.hint = in_fields(problem.hint, fields);
  }
  return answer;
}

}  // namespace

std::vector<ApiVerb> api_verbs() {
  std::vector<ApiVerb> all;
  for (const std::string_view name : kAsked) {
    const Verb& verb = *find_verb(name);
    std::vector<ApiField> fields = fields_of(verb);
    ApiVerb row{std::string(name), std::string(verb.question), guidance_text(name), fields, {}};
    row.answer = [&verb, fields = std::move(fields)](const Json& given,
                                                     const ApiListener& listener) {
      return answer_to(verb, fields, given, listener);
    };
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace plimsoll
