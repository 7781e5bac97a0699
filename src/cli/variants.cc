#include "cli/variants.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLongestName = 30;
constexpr std::string_view kForm =
    "give --variant \"NAME: FLAGS\", such as --variant "
    "\"busy: --routing-policy weighted --num-instances 4\"";

/// A variant before its flags are read.
struct Proposal {
  std::string name;
  std::vector<std::string> words;
};

// What people call a flag that is not given. --vary has no value for that.
bool means_nothing_given(std::string_view name) {
  constexpr std::string_view kWords[]{"none",    "no",   "off",    "auto", "as-is",
                                      "default", "base", "stored", "bf16", "fp16"};
  return std::ranges::find(kWords, name) != std::end(kWords);
}

// The way to write that variant.
Error with_unchanged_variant(Error error, const std::string& name) {
  for (Diagnostic& diagnostic : error.diagnostics) {
    if (!diagnostic.hint.empty()) diagnostic.hint += "; ";
    diagnostic.hint += "--variant \"" + name + ":\" beside --vary is the one without this flag";
  }
  return error;
}

bool is_traffic(const Flag& flag) {
  return flag.group == FlagGroup::workload || flag.group == FlagGroup::trace ||
         flag.group == FlagGroup::sessions || flag.group == FlagGroup::stream ||
         flag.name == "--semantics";
}

class Reader {
 public:
  explicit Reader(const Command& command) : command_(command) {}

  Result<std::vector<Variant>> read() {
    if (command_.options.compare.vary.empty() && command_.options.compare.variants.empty()) {
      return fail(ErrorKind::usage, "no variants given",
                  "give --vary FLAG=VALUE,VALUE, such as --vary "
                  "routing-policy=round-robin,least-loaded, or " +
                      std::string(kForm));
    }
    propose_varied(command_.options.compare.vary);
    for (const std::string& text : command_.options.compare.variants) propose(text);
    if (error_.diagnostics.empty() && proposals_.size() < 2) {
      return fail(ErrorKind::usage, "\"" + proposals_.front().name + "\" is the only variant",
                  "give another; --variant \"base:\" means the common flags unchanged");
    }
    for (const Proposal& proposal : proposals_) accept(proposal);
    if (!error_.diagnostics.empty()) return tl::unexpected<Error>(std::move(error_));
    return std::move(variants_);
  }

 private:
  void complain(std::string message, std::string hint = {}) {
    error_.diagnostics.push_back({{}, 0, 0, std::move(message), std::move(hint), {}});
  }

  void take_over(Error error) {
    std::ranges::move(error.diagnostics, std::back_inserter(error_.diagnostics));
  }

  void propose_varied(const std::string& text) {
    if (text.empty()) return;
    const std::size_t equals = std::min(text.find('='), text.size());
    std::string name = text.substr(0, equals);
    if (!name.starts_with("--")) name.insert(0, "--");
    const Flag* flag = command_.verb.flag(name);
    if (flag == nullptr) return complain_of_flag(name);
    if (flag->placeholder.find(',') != std::string_view::npos) {
      return complain("--vary cannot split the values of " + name + ": they contain commas",
                      std::string(kForm));
    }
    if (equals + 1 >= text.size()) {
      return complain("--vary must be FLAG=VALUE,VALUE, not \"" + text + "\"",
                      "such as --vary tp=1,2,4");
    }
    // A word says by itself what varies, a number does not.
    const bool is_word = !flag->value.choices.empty() || flag->value.known_names != nullptr;
    for (const std::string_view part : split_at(std::string_view(text).substr(equals + 1), ',')) {
      const std::string value(part);
      add({is_word ? value : name.substr(2) + "=" + value, {name + "=" + value}});
    }
  }

  void complain_of_flag(const std::string& name) {
    std::vector<std::string> names;
    for (const Flag& flag : flags()) {
      if (command_.verb.has(flag.group) && may_differ(flag.group)) names.emplace_back(flag.name);
    }
    const std::string near = nearest_name(name, names);
    complain("--vary names an unknown flag " + name,
             near.empty() ? "any flag of a deployment may vary, such as --vary tp=1,2,4"
                          : "did you mean " + near + "?");
  }

  void propose(const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string name = trimmed(std::string_view(text).substr(0, colon));
    if (colon == text.size() || name.empty() || name.starts_with("-")) {
      return complain("--variant \"" + text + "\" has no name", std::string(kForm));
    }
    auto words = split_words(std::string_view(text).substr(colon + 1));
    if (!words) return take_over(in_variant(name, std::move(words.error())));
    add({name, std::move(*words)});
  }

  void add(Proposal proposal) {
    if (proposal.name.size() > kLongestName) {
      complain("the name of variant \"" + proposal.name + "\" is longer than " +
               std::to_string(kLongestName) + " bytes");
    }
    const auto same = [&](const Proposal& p) { return p.name == proposal.name; };
    if (std::ranges::any_of(proposals_, same)) {
      complain("two variants are called \"" + proposal.name + "\"");
    }
    proposals_.push_back(std::move(proposal));
  }

  void accept(const Proposal& proposal) {
    auto own = parse_command(command_.verb, proposal.words);
    if (!own && means_nothing_given(proposal.name)) {
      own = tl::unexpected(with_unchanged_variant(std::move(own.error()), proposal.name));
    }
    if (!own) return take_over(in_variant(proposal.name, std::move(own.error())));
    const std::size_t before = error_.diagnostics.size();
    const GivenFlags given = flags_of(own->options);
    for (const auto& [name, value] : given) check(proposal.name, name);
    if (error_.diagnostics.size() > before) return;
    Command whole = command_;
    whole.options.compare = {};
    whole.notes = own->notes;
    for (const auto& [name, value] : given) {
      command_.verb.flag(name)->value.set(whole.options, value, Origin::asked);
    }
    variants_.push_back({proposal.name, given, std::move(whole)});
  }

  void check(const std::string& variant, const std::string& name) {
    const Flag* flag = command_.verb.flag(name);
    if (may_differ(flag->group)) return;
    if (is_traffic(*flag)) {
      return complain("variant \"" + variant + "\": " + name + " changes the traffic",
                      "variants are compared on the same requests: give it once, for all");
    }
    complain("variant \"" + variant + "\": " + name + " must be the same for all variants",
             "give it outside of --variant");
  }

  const Command& command_;
  std::vector<Proposal> proposals_;
  std::vector<Variant> variants_;
  Error error_{ErrorKind::usage, {}};
};

}  // namespace

bool may_differ(FlagGroup group) {
  return group == FlagGroup::model || group == FlagGroup::step_time ||
         group == FlagGroup::calibrated || group == FlagGroup::profile ||
         group == FlagGroup::cluster || group == FlagGroup::split || group == FlagGroup::transfer ||
         group == FlagGroup::admission || group == FlagGroup::engine ||
         group == FlagGroup::prices || group == FlagGroup::price_file;
}

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote == 0) return words;
  return fail(ErrorKind::usage, "a quote (" + std::string(1, quote) + ") is not closed");
}

Result<std::vector<Variant>> read_variants(const Command& command) {
  return Reader(command).read();
}

std::vector<std::string> vary_proposals() {
  std::vector<std::string> proposals;
  for (const Flag& flag : flags()) {
    if (!may_differ(flag.group) || flag.value.choices.empty()) continue;
    proposals.push_back(std::string(flag.name.substr(2)) + "=" + join(flag.value.choices, ","));
  }
  return proposals;
}

Error in_variant(const std::string& name, Error error) {
  return said_of("variant \"" + name + "\"", std::move(error));
}

}  // namespace plimsoll
