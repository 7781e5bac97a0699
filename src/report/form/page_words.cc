// The definitions of the labels that stand on a page, at its end.
#include <algorithm>
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

}  // namespace plimsoll
