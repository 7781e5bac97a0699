#include "report/form/page_words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
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
    if (std::ranges::find(all_, text, &PageLabel::text) == all_.end())
      all_.push_back({std::string(text), is_head});
  }

  /// Of all elements that begin so: their text, if they hold nothing else.
  void add_elements(std::string_view body, std::string_view begin, bool is_head) {
    for (std::size_t at = 0; (at = body.find(begin, at)) != body.npos;) {
      at += begin.size();
      const std::size_t from = begin.ends_with('>') ? at : body.find('>', at) + 1;
      add(body.substr(from, body.find('<', from) - from), is_head);
    }
  }

  /// Of the tables that the script makes (data_table.h).
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

// The shortest first: labels, words of the field, figures, keys of --json.
std::optional<std::string> meaning(const std::vector<Definition>& known, const PageLabel& label) {
  constexpr std::string_view kSources[]{"labels", "glossary", "metrics", "json"};
  const std::size_t sources = label.is_head ? std::size(kSources) : 2;
  // "sustainable req/s, 10 asked for", "early (10 %)"
  for (const std::size_t end : {label.text.size(), label.text.find(", "), label.text.find(" (")}) {
    const auto found = definitions_of(known, label.text.substr(0, end));
    for (std::size_t i = 0; i < sources; ++i) {
      const auto first = std::ranges::find_if(
          found, [&](const Definition& d) { return d.source.starts_with(kSources[i]); });
      if (first != found.end()) return meaning_of(*first);
    }
  }
  return {};
}

}  // namespace

std::string words_section(std::string_view body) {
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
    const std::optional<std::string> found = meaning(known, label);
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
