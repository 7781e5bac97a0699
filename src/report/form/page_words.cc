// The definitions of the labels that stand on a page, at its end.
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/lists.h"
#include "base/text.h"
#include "report/form/glossary.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

// Letters of the longest label; sentences are none.
constexpr std::size_t kLongest = 40;

/// A text of the page, and whether it is a label for certain; else it is a cell, perhaps a name.
struct PageLabel {
  std::string text;
  bool is_head = true;
};

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

class PageLabels {
 public:
  void add(std::string_view text, bool is_head) {
    // What needs quoting in markup is a comparison or a name of the user.
    if (text.empty() || text.size() > kLongest || text.find('&') != text.npos) return;
    if (!is_head && has_digit(text)) return;
    add_once(&all_, {std::string(text), is_head}, &PageLabel::text);
  }

  /// Adds the text of all elements that begin so and hold nothing else.
  void add_elements(std::string_view body, std::string_view begin, bool is_head) {
    for (std::size_t at = 0; (at = body.find(begin, at)) != body.npos;) {
      at += begin.size();
      const std::size_t from = begin.ends_with('>') ? at : body.find('>', at) + 1;
      add(body.substr(from, body.find('<', from) - from), is_head);
    }
  }

  /// Adds the labels of the tables that the script makes (DataTable).
  void add_tables(std::string_view body) {
    constexpr std::string_view kBegin = "<script type=\"application/json\">";
    for (std::size_t at = 0; (at = body.find(kBegin, at)) != body.npos;) {
      at += kBegin.size();
      const Json data = Json::parse(body.substr(at, body.find("</script>", at) - at));
      for (const Json& column : data["columns"]) {
        add(column["head"].as_string(), true);
        for (const Json& text : column["texts"]) add(text.as_string(), false);
      }
    }
  }

  const std::vector<PageLabel>& all() const { return all_; }

 private:
  std::vector<PageLabel> all_;
};

// Sections of labels are headed by the verbs that have them ("capacity and plan"), in small
// letters, or by what all have in common ("Verdicts").
bool is_of_verb(const Definition& d, std::string_view verb) {
  const std::size_t comma = d.source.find(", ");
  return comma != d.source.npos && d.source.find(verb, comma) != d.source.npos;
}
bool is_of_verbs(const Definition& d) {
  const std::size_t comma = d.source.find(", ");
  return comma != d.source.npos && d.source[comma + 2] >= 'a' && d.source[comma + 2] <= 'z';
}

// Labels of the verb, those of all, words of the field, figures. A key of --json and a label of
// another verb of the same name are about something else.
constexpr int kOfCells = 1;
constexpr int kOfHeads = 3;
int rank_of(const Definition& d, std::string_view verb) {
  if (d.source.starts_with("labels")) return is_of_verb(d, verb) ? 0 : is_of_verbs(d) ? 4 : 1;
  if (d.source.starts_with("glossary")) return 2;
  return d.source.starts_with("metrics") ? 3 : 4;
}

std::optional<std::string> meaning(const std::vector<Definition>& known, const PageLabel& label,
                                   std::string_view verb) {
  // "sustainable req/s, 10 asked for", "early (10 %)"
  for (const std::size_t end : {label.text.size(), label.text.find(", "), label.text.find(" (")}) {
    std::vector<Definition> found = definitions_of(known, label.text.substr(0, end));
    const auto rank = [&](const Definition& d) { return rank_of(d, verb); };
    std::erase_if(found, [&](const Definition& d) {
      return rank(d) > (label.is_head ? kOfHeads : kOfCells);
    });
    if (!found.empty()) return meaning_of(*std::ranges::min_element(found, {}, rank));
  }
  return {};
}

// Numbers on a page keep their units: no line ends between "1.22" and "s".

constexpr std::string_view kUnits[]{"%", "ms", "s", "req/s"};
constexpr std::string_view kNoBreakSpace = "\u00a0";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_with_unit(std::string_view text) {
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    if (!text.starts_with(unit)) return false;
    text.remove_prefix(unit.size());
    return text.empty() || !(is_letter(text.front()) || text.front() == '/');
  });
}

// How long the tag is that begins here, with what it holds where that is no prose.
std::size_t tag_length(std::string_view markup) {
  for (const std::string_view name : {"script", "pre", "svg", "time"}) {
    if (!markup.substr(1).starts_with(name)) continue;
    const std::string close = "</" + std::string(name) + ">";
    return std::min(markup.find(close), markup.size() - close.size()) + close.size();
  }
  return std::min(markup.find('>'), markup.size() - 1) + 1;
}

// Of "2026-12-21" or "2026-12-21T00:00Z" at the beginning of the text; 0: there is none.
std::size_t date_length(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() < kForm.size()) return 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'd' ? !is_digit(text[i]) : text[i] != '-') return 0;
  }
  std::size_t end = kForm.size();
  const auto is_of_time = [](char c) { return is_digit(c) || c == ':' || c == 'T' || c == 'Z'; };
  while (end < text.size() && is_of_time(text[end])) ++end;
  return end < text.size() && (is_letter(text[end]) || text[end] == '-') ? 0 : end;
}

enum class Within { nothing, number, word };

Within after(Within before, char c) {
  if (is_letter(c)) return Within::word;
  if (is_digit(c)) return before == Within::word ? Within::word : Within::number;
  return before == Within::number && (c == '.' || c == ',') ? Within::number : Within::nothing;
}

}  // namespace

std::string words_section(std::string_view body, std::string_view verb) {
  PageLabels labels;
  labels.add_elements(body, "<th ", true);
  labels.add_elements(body, "<dt>", true);
  labels.add_elements(body, "</b><span>", true);
  labels.add_tables(body);
  labels.add_elements(body, "<td", false);
  const std::vector<Definition> known = definitions_of_pages();
  std::vector<std::string> meanings;  // in the order of their first label
  std::map<std::string, std::string> words;
  for (const PageLabel& label : labels.all()) {
    const std::optional<std::string> found = meaning(known, label, verb);
    if (!found) continue;
    std::string& said_of = words[*found];
    if (said_of.empty()) meanings.push_back(*found);
    said_of += (said_of.empty() ? "" : ", ") + element("span", "", escaped(label.text));
  }
  std::string list;
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    list += element("dt", "", words[meanings[i]]) +
            element("dd", fmt::format("id=\"word-{}\"", i + 1), escaped(capitalised(meanings[i]))) +
            "\n";
  }
  if (list.empty()) return {};
  return section("Words on this page", element("details", "",
                                               element("summary", "", "What the labels mean") +
                                                   element("dl", "class=\"words\"", list)) +
                                           "\n");
}

std::string with_whole_quantities(std::string_view markup) {
  std::string out;
  out.reserve(markup.size());
  Within within = Within::nothing;
  while (!markup.empty()) {
    const char c = markup.front();
    const std::size_t date = within == Within::nothing ? date_length(markup) : 0;
    if (date > 0 && !out.ends_with('-')) {
      out += "<time>" + std::string(markup.substr(0, date)) + "</time>";
      within = Within::word;
      markup.remove_prefix(date);
      continue;
    }
    const std::size_t length = c == '<' ? tag_length(markup) : 1;
    if (c == ' ' && within == Within::number && begins_with_unit(markup.substr(1)))
      out += kNoBreakSpace;
    else
      out += markup.substr(0, length);
    within = after(within, c);
    markup.remove_prefix(length);
  }
  return out;
}

}  // namespace plimsoll
