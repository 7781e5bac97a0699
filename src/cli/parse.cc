#include "cli/parse.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include "base/lists.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/flag_places.h"
#include "setup/choices.h"

namespace plimsoll {
namespace {

// The semantics that the words ask for, known before the first flag is read.
Semantics semantics_among(Words words) {
  constexpr std::string_view kFlag = "--semantics";
  SemanticsMode mode = SemanticsMode::vllm;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view value;
    if (words[i] == kFlag && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with("--semantics="))
      value = std::string_view(words[i]).substr(kFlag.size() + 1);
    mode = value_of(semantics_choices(), value).value_or(mode);
  }
  return Semantics::of(mode);
}

// By its spelling, or since there is one: a model of the hub is called OWNER/NAME.
bool names_a_file(std::string_view word) {
  constexpr std::string_view kEndings[]{".yaml", ".yml", ".json", ".jsonl", ".csv", ".gz"};
  const bool ends_so = std::ranges::any_of(
      kEndings, [&](std::string_view ending) { return word.ends_with(ending); });
  std::error_code failure;
  const auto there = std::filesystem::status(word, failure);
  return ends_so || word == "-" || word.starts_with('.') || word.starts_with('/') ||
         (std::filesystem::exists(there) && !std::filesystem::is_directory(there));
}

class Parser {
 public:
  Parser(const Verb& verb, Words words)
      : verb_(verb),
        words_(words),
        last_wins_(semantics_among(words).last_of_repeated_flags_wins),
        out_{verb, Options(), {}, {}} {}

  Result<Command> parse() {
    for (const std::string& word : words_) {
      const std::string fault = fault_of_name(word);
      if (!fault.empty()) complain("\"" + word + "\" " + fault, kOneLine);
    }
    if (!error_.diagnostics.empty()) return tl::unexpected<Error>(std::move(error_));
    while (at_ < words_.size()) {
      const std::string_view word = words_[at_++];
      if (word == kEndOfFlags && !flags_have_ended_) {
        flags_have_ended_ = true;
      } else if (!flags_have_ended_ && word.size() > 1 && word.front() == '-' &&
                 !is_asked_about(word)) {
        read_flag(word);
      } else {
        read_argument(word);
      }
    }
    if (out_.arguments.size() < verb_.arguments.least) complain_of_missing_argument();
    for (const auto& [flag, word] : words_of_flags_) set_by_word(flag, word);
    if (!error_.diagnostics.empty()) return tl::unexpected<Error>(std::move(error_));
    for (std::string& note : notes_on_limits(out_.options.limits.slo))
      out_.notes.push_back(std::move(note));
    return std::move(out_);
  }

 private:
  void complain(std::string message, std::string hint = {}) {
    error_.diagnostics.push_back({{}, 0, 0, std::move(message), std::move(hint), {}});
  }

  bool is_asked_about(std::string_view word) const {
    return verb_.arguments.may_be_flags && std::ranges::any_of(flags(), [&](const Flag& flag) {
             return flag.is_called(word) && !verb_.has(flag.group);
           });
  }

  void complain_of_missing_argument() {
    const Arguments& arguments = verb_.arguments;
    std::string message = "no " + to_lower(arguments.placeholder) + " given";
    for (const auto& [flag, word] : words_of_flags_) {
      message += ": \"" + word + "\" is not a file, so it was read as " + std::string(flag);
    }
    complain(std::move(message),
             arguments.choices == nullptr ? usage() : "one of: " + join(arguments.choices(), ", "));
  }

  std::string usage() const { return "usage: " + usage_lines(verb_).front(); }

  void read_argument(std::string_view word) {
    const Arguments& arguments = verb_.arguments;
    const std::string_view flag = names_a_file(word) ? arguments.file_flag : arguments.name_flag;
    const bool takes_none = arguments.most == 0 && arguments.name_flag.empty();
    if (flag.empty() ? out_.arguments.size() == arguments.most
                     : contains(words_of_flags_, flag, &WordOfFlag::first)) {
      return complain("unexpected word \"" + std::string(word) + "\"",
                      takes_none ? "flags begin with --" : usage());
    }
    if (flag == "--workload-spec" && is_named_like_a_trace(word)) {
      return complain("\"" + std::string(word) + "\" is not a workload specification",
                      hint_for_trace(std::string(word)));
    }
    if (!flag.empty()) {
      words_of_flags_.emplace_back(flag, word);
      return;
    }
    out_.arguments.emplace_back(word);
    if (arguments.choices == nullptr) return;
    const std::vector<std::string> names = arguments.choices();
    if (contains(names, word)) return;
    if (arguments.called != nullptr && !arguments.called(word).empty()) {
      out_.arguments.back() = arguments.called(word);
      out_.notes.push_back("\"" + std::string(word) + "\" is called \"" + out_.arguments.back() +
                           "\"");
      return;
    }
    complain("unknown " + to_lower(arguments.placeholder) + " \"" + std::string(word) + "\"",
             arguments.list.empty() ? suggestion(word, names)
                                    : hint_at_name(word, names, arguments.list));
  }

  static bool is_named_like_a_trace(std::string_view word) {
    constexpr std::string_view kEndings[]{".csv",      ".jsonl",   ".csv.gz",
                                          ".jsonl.gz", ".csv.zst", ".jsonl.zst"};
    return std::ranges::any_of(kEndings, [&](auto ending) { return word.ends_with(ending); });
  }

  std::string hint_for_trace(const std::string& file) const {
    return verb_.flag("--trace") != nullptr
               ? "a trace is given by --trace " + file + " --trace-format FORMAT"
               : "`plimsoll replay MODEL " + file + "` plays a trace";
  }

  // A word that is the value of a flag: as if the flag had been given.
  void set_by_word(std::string_view name, const std::string& word) {
    const auto given = given_.find(name);
    if (given == given_.end()) {
      set(*std::ranges::find(flags(), name, &Flag::name), word);
      return;
    }
    const Arguments& arguments = verb_.arguments;
    const bool may_be_file = arguments.most > 0 || (!arguments.file_flag.empty() &&
                                                    arguments.file_flag != arguments.name_flag);
    complain("\"" + word + "\" is " + (may_be_file ? "not a file, so it was " : "") + "read as " +
                 std::string(name) + ", which is \"" + given->second + "\" already",
             may_be_file ? "give a file that exists, or one of the two" : "give one of the two");
  }

  void read_flag(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const bool attached = equals != std::string_view::npos;
    std::string_view value = attached ? word.substr(equals + 1) : std::string_view{};

    for (const LaterFlag& later : later_flags()) {
      if (later.name != name || !verb_.simulates()) continue;
      const bool has_value = attached || take_value(&value);
      if (has_value && later.asks_for_nothing(value)) return;
      return complain(std::string(name) + " is not supported yet (" + std::string(later.feature) +
                      ")");
    }
    const Flag* flag = find(name);
    if (flag == nullptr) {
      if (!attached) take_value(&value);
      return;
    }
    if (!attached && flag->value.is_switch) {
      value = flag->is_opposite(name) ? "false" : "true";
    } else if (flag->is_opposite(name) && (value == "true" || value == "false")) {
      value = value == "true" ? "false" : "true";
    } else if (!attached && !take_value(&value)) {
      return complain(std::string(name) + " needs a value", name_value(*flag));
    }
    set(*flag, value);
  }

  // The next word, unless it is a flag itself. A lone "-1" is a value.
  bool take_value(std::string_view* value) {
    if (at_ == words_.size() || words_[at_].starts_with("--")) return false;
    *value = words_[at_++];
    return true;
  }

  // By name or alias among the flags of this verb; complains when there is none.
  const Flag* find(std::string_view name) {
    std::vector<std::string> names{"--help"};
    for (const Flag& flag : flags()) {
      if (!verb_.has(flag.group)) continue;
      if (flag.name == name) return &flag;
      names.emplace_back(flag.name);
      for (const Alias& alias : flag.aliases) {
        if (alias.name != name) continue;
        if (!alias.remark.empty())
          out_.notes.push_back(std::string(name) + " " + std::string(alias.remark) + flag.name);
        return &flag;
      }
    }
    if (const std::string other_verbs = verbs_with(name); !other_verbs.empty()) {
      const std::string place = verb_.hint_for(name);
      complain("`plimsoll " + std::string(verb_.name) + "` has no " + std::string(name),
               place.empty() ? "it is a flag of " + other_verbs : place);
      return nullptr;
    }
    std::string hint = verb_.hint_for(name);
    const std::string near = nearest_name(name, names);
    if (hint.empty()) hint = near.empty() ? hint_for_unknown(name) : "did you mean " + near + "?";
    complain("unknown flag " + std::string(name), std::move(hint));
    return nullptr;
  }

  static std::string hint_for_unknown(std::string_view name) {
    // Of the benchmark of vLLM, whose values mean something a little different.
    constexpr std::pair<std::string_view, const char*> kOfBenchmarks[]{
        {"--random-input-len",
         "--prompt-tokens N --prompt-tokens-stdev 0: all prompts have N tokens"},
        {"--random-output-len",
         "--output-tokens N --output-tokens-stdev 0: all answers have N tokens"},
        {"--random-prefix-len", "--prefix-tokens N: all prompts begin with the same N tokens"},
        {"--burstiness", "--arrival gamma --arrival-cv CV: burstiness B is a CV of 1 / sqrt(B)"}};
    for (const auto& [flag, ours] : kOfBenchmarks) {
      if (flag == name) return std::string("write ") + ours;
    }
    const bool is_short = !name.starts_with("--");
    return std::string(is_short ? "only a few flags have a short form; " : "") +
           "--help shows all flags";
  }

  static std::string verbs_with(std::string_view flag_name) {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> names;
    for (const Verb& verb : verbs()) {
      if (verb.flag(flag_name)) names.push_back("`plimsoll " + std::string(verb.name) + "`");
    }
    if (names.size() <= kMost + 1) return join(names, ", ");
    const std::size_t others = names.size() - kMost;
    names.resize(kMost);
    return join(names, ", ") + " and " + std::to_string(others) + " other verbs";
  }

  static std::string name_value(const Flag& flag) {
    return std::string(flag.name) + " " + std::string(flag.placeholder) + ": " + flag.help;
  }

  // " in microseconds": who writes "10s" does not know it.
  static std::string in_unit_of(const Flag& flag) {
    constexpr std::pair<std::string_view, std::string_view> kUnits[]{
        {"US", "microseconds"}, {"MS", "milliseconds"}, {"SECONDS", "seconds"}};
    const auto* unit = std::ranges::find(kUnits, flag.placeholder, [](auto& u) { return u.first; });
    return unit == std::end(kUnits) ? "" : ", in " + std::string(unit->second);
  }

  // Whoever mixes up two flags meant another flag, not another value.
  std::string flags_with(std::string_view value) const {
    std::vector<std::string> names;
    for (const Flag& flag : flags()) {
      const std::vector<std::string>& choices = flag.value.choices;
      const bool has_it = contains(choices, value);
      if (verb_.has(flag.group) && has_it) names.emplace_back(flag.name);
    }
    return join(names, " and ");
  }

  void set(const Flag& flag, std::string_view value) {
    const std::string name(flag.name);
    const auto [given, first] = given_.emplace(name, value);
    if (!first && !last_wins_ && !flag.value.is_repeatable) {
      return complain(name + " is given twice");
    }
    given->second = value;
    const auto refusal = flag.value.set(out_.options, value, Origin::asked);
    if (!refusal) return;
    if (!refusal->must.empty()) {
      return complain(name + " must be " + refusal->must + in_unit_of(flag) + ", not \"" +
                          std::string(value) + "\"",
                      refusal->hint);
    }
    const std::string others = flag.value.choices.empty() ? "" : flags_with(value);
    std::string hint = others.empty() ? refusal->hint : "it is a value of " + others;
    if (const std::string place = verb_.hint_for(name); !place.empty()) hint += "; " + place;
    complain(name + " " + refusal->message, std::move(hint));
  }

  using WordOfFlag = std::pair<std::string_view, std::string>;

  const Verb& verb_;
  Words words_;
  std::vector<WordOfFlag> words_of_flags_;
  const bool last_wins_;  // of a flag's values
  std::size_t at_ = 0;
  bool flags_have_ended_ = false;
  std::map<std::string, std::string, std::less<>> given_;  // flags, and the text of each
  Command out_;
  Error error_{ErrorKind::usage, {}};
};

}  // namespace

Result<Command> parse_command(const Verb& verb, Words words) { return Parser(verb, words).parse(); }

}  // namespace plimsoll
