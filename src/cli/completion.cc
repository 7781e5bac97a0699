#include "cli/completion.h"

#include <algorithm>

#include "cli/console.h"
#include "cli/parse.h"
#include "cli/run_functions.h"

namespace plimsoll {
namespace {

/// Gathers the words that begin with what is typed so far.
class Collector {
 public:
  explicit Collector(std::string_view typed) : typed_(typed) {}

  void offer(std::string_view word, std::string_view help = {}) {
    if (word.starts_with(typed_)) out_.words.push_back({std::string(word), std::string(help)});
  }

  // Of "owner/name" the name alone will do, when that is what is typed.
  void offer_names(const std::vector<std::string>& names) {
    for (const std::string& name : names) offer(name);
    if (!out_.words.empty()) return;
    for (const std::string& name : names) offer(name.substr(name.find('/') + 1));
  }

  void offer_files() { out_.files = true; }

  Completions take() { return std::move(out_); }

 private:
  std::string_view typed_;
  Completions out_;
};

Completions first_words(std::string_view typed) {
  Collector collector(typed);
  for (const Verb* verb : first_verbs()) collector.offer(verb->name, verb->question);
  if (typed.starts_with("-")) {
    collector.offer("--help");
    collector.offer("--version");
  }
  return collector.take();
}

Completions member_words(const Verb& family, std::string_view typed) {
  Collector collector(typed);
  for (const Verb* member : members_of(family)) {
    collector.offer(member->name.substr(family.name.size() + 1), member->question);
  }
  return collector.take();
}

// The last item of a list, after those that are typed.
void offer_items(const std::vector<std::string>& items, std::string_view typed, Collector* out) {
  const std::string_view before = typed.substr(0, typed.rfind(',') + 1);
  for (const std::string& item : items) {
    const std::string name = item.substr(0, item.find(':'));
    if (before.find(name) == std::string_view::npos) out->offer(std::string(before) + item);
  }
}

Completions values(const Flag& flag, std::string_view typed) {
  Collector collector(typed);
  for (const std::string& choice : flag.value.choices) collector.offer(choice);
  if (flag.value.is_switch) collector.offer_names({"true", "false"});
  if (flag.value.known_names != nullptr) collector.offer_names(flag.value.known_names());
  offer_items(flag.value.items, typed, &collector);
  if (flag.takes_path()) collector.offer_files();
  return collector.take();
}

// `before` are the words after the verb: a flag among them is offered again only if it may be
// repeated.
Completions flag_words(const Verb& verb, Words before, std::string_view typed) {
  Collector collector(typed);
  for (const Flag& flag : flags()) {
    const auto gives = [&](std::string_view word) {
      return flag.is_called(word.substr(0, word.find('=')));
    };
    const bool taken = !flag.value.is_repeatable && std::ranges::any_of(before, gives);
    if (!verb.has(flag.group) || taken) continue;
    collector.offer(flag.name, flag.help);
  }
  collector.offer("--help", "Show all flags");
  return collector.take();
}

Completions arguments(const Verb& verb, Words before, std::string_view typed) {
  Collector collector(typed);
  // Words that are values of flags are completed by those.
  if (verb.arguments.most == 0) return flag_words(verb, before, typed);
  const auto names =
      verb.arguments.choices != nullptr ? verb.arguments.choices : verb.arguments.known_names;
  if (names == nullptr) {
    collector.offer_files();
  } else {
    collector.offer_names(names());
  }
  return collector.take();
}

// `--flag=value` as one word: the value's completions with the flag in front of each.
Completions attached_values(const Verb& verb, const std::string& word) {
  const std::size_t equals = word.find('=');
  const Flag* flag = verb.flag(std::string_view(word).substr(0, equals));
  if (flag == nullptr) return {};
  Completions found = values(*flag, std::string_view(word).substr(equals + 1));
  for (Completions::Word& value : found.words) value.text.insert(0, word, 0, equals + 1);
  return found;
}

// The words after the verb; there is at least one.
Completions after_verb(const Verb& verb, Words words) {
  const std::string& typed = words.back();
  Words before = words.first(words.size() - 1);
  const auto word_before = [&](std::size_t n) { return before[before.size() - n]; };
  // bash parts "name:5,na" into three words.
  while (before.size() >= 2 && word_before(1) == ":") before = before.first(before.size() - 2);
  if (typed == "=" && !before.empty()) {
    const Flag* flag = verb.flag(word_before(1));
    return flag == nullptr ? Completions{} : values(*flag, "");
  }
  if (before.size() >= 2 && word_before(1) == "=") {
    const Flag* flag = verb.flag(word_before(2));
    return flag == nullptr ? Completions{} : values(*flag, typed);
  }
  if (typed.starts_with("--") && typed.find('=') != std::string::npos) {
    return attached_values(verb, typed);
  }
  if (!before.empty()) {
    const Flag* flag = verb.flag(word_before(1));
    if (flag != nullptr && !flag->value.is_switch) return values(*flag, typed);
  }
  return typed.starts_with("-") ? flag_words(verb, before, typed) : arguments(verb, before, typed);
}

constexpr std::string_view kBash =
    R"(# Completion of plimsoll in bash:  source <(plimsoll completion bash)
_plimsoll() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${1/#\~/$HOME}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _plimsoll plimsoll
)";

constexpr std::string_view kZsh = R"(#compdef plimsoll
# Completion of plimsoll in zsh:  source <(plimsoll completion zsh), or this file as _plimsoll in a
# folder of $fpath
_plimsoll() {
  local line
  local -a described
  for line in "${(@f)$("${words[1]/#\~/$HOME}" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      [[ $PREFIX == --*=* ]] && compset -P '*='
      _files
    elif [[ -n $line ]]; then
      described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( $#described )) && _describe -V plimsoll described
}
if [[ $funcstack[1] == _plimsoll ]]; then
  _plimsoll "$@"
else
  compdef _plimsoll plimsoll
fi
)";

// fish's commandline -opc holds the words before the cursor's, -ct the one under it.
constexpr std::string_view kFish =
    R"(# Completion of plimsoll in fish:  plimsoll completion fish | source
function __plimsoll
  set -l words (commandline -opc) (commandline -ct)
  set -l program (string replace -r '^~' $HOME -- $words[1])
  for line in ($program --complete $words[2..-1] 2>/dev/null)
    if test $line = :files
      set -l flag (string match -r '^--[^=]*=' -- $words[-1])
      for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1]))
        echo "$flag$path"
      end
    else
      echo $line
    end
  end
end
complete -c plimsoll -f -k -a '(__plimsoll)'
)";

}  // namespace

Completions complete(Words words) {
  if (words.empty()) return {};
  if (words.size() == 1) return first_words(words[0]);
  const Verb* verb = find_verb(words[0]);
  if (verb == nullptr) return {};
  Words rest = words.subspan(1);
  if (verb->is_family()) {
    if (rest.size() == 1) return member_words(*verb, rest[0]);
    verb = find_verb(words[0] + " " + rest[0]);
    if (verb == nullptr) return {};
    rest = rest.subspan(1);
  }
  return after_verb(*verb, rest);
}

std::string completion_lines(const Completions& completions) {
  if (completions.files) return ":files\n";
  std::string out;
  for (const auto& [text, help] : completions.words) out += text + "\t" + help + "\n";
  return out;
}

std::vector<std::string> completion_shells() { return {"bash", "zsh", "fish"}; }

Result<int> completion_verb(const Command& command) {
  const std::string& shell = command.arguments[0];
  return print_result(shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
}

}  // namespace plimsoll
