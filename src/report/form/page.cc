#include "report/form/page.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "base/embedded_file.h"
#include "base/json.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// Letters; longer texts keep some width where columns are many.
constexpr std::size_t kShortText = 20;

std::string_view page_part(std::string_view file) {
  return std::ranges::find(embedded_report(), file, &EmbeddedFile::path)->text;
}

// "Where the time goes" -> "where-the-time-goes"
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : to_lower(heading)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_plain)
      anchor += c;
    else if (!anchor.ends_with('-'))
      anchor += '-';
  }
  return anchor;
}

std::string class_of(std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!name.empty()) list += (list.empty() ? "" : " ") + std::string(name);
  }
  return list.empty() ? list : "class=\"" + list + "\"";
}

// The section on what an answer leaves out, for those who decide by it.
std::string left_out_section(std::string_view verb) {
  constexpr std::string_view kSimulating[]{"run",  "replay",  "capacity",
                                           "plan", "compare", "forecast"};
  if (std::ranges::count(kSimulating, verb) == 0) return {};
  return section(
      "What is not simulated",
      bullets({"Instances that start, fail or are upgraded during a run: all of them serve "
               "from the start to the end.",
               "Networks and proxies in front of the servers, and the time that clients "
               "take to read.",
               "KV blocks kept in host memory: what leaves the cache is computed again.",
               "Image encoders: images count as the tokens they become.",
               "Model output: answers are as long as the traffic says."}));
}

// `body` with a list of its sections before the first of them, where there are many.
std::string with_contents(std::string_view body) {
  constexpr std::string_view kSection = "<section id=\"";
  constexpr std::string_view kHeading = "><h2>";
  constexpr int kMany = 4;
  std::string items;
  int count = 0;
  for (std::size_t at = 0; (at = body.find(kSection, at)) != body.npos;) {
    at += kSection.size();
    const std::string_view id = body.substr(at, body.find('"', at) - at);
    const std::size_t begin = body.find(kHeading, at) + kHeading.size();
    const std::string_view name = body.substr(begin, body.find("</h2>", begin) - begin);
    items += fmt::format("<li><a href=\"#{}\">{}</a></li>", id, name);
    ++count;
  }
  if (count < kMany) return std::string(body);
  const std::size_t first = body.find(kSection);
  return std::string(body.substr(0, first)) +
         fmt::format("<nav aria-label=\"Contents\"><ul>{}</ul></nav>\n", items) +
         std::string(body.substr(first));
}

std::string run_text(std::size_t text, std::size_t times) {
  return times == 1 ? fmt::format("{}", text) : fmt::format("{}*{}", text, times);
}

// Within a script element of HTML and of XML.
std::string within_script(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{}{}{}>{}</{}>", name, attributes.empty() ? "" : " ", attributes, content,
                     name);
}

std::string prose(std::string_view text) {
  const auto is_of_flag = [](char c) {
    return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close = text[at] == '`' ? text.find('`', at + 1) : text.npos;
    if (close != text.npos) {
      out += element("code", "", escaped(text.substr(at + 1, close - at - 1)));
      at = close + 1;
      continue;
    }
    std::size_t end = at;
    if (text.substr(at, 2) == "--" && (at == 0 || !is_of_flag(text[at - 1])))
      while (end < text.size() && is_of_flag(text[end])) ++end;
    if (end > at + 2) {
      out += element("code", "", text.substr(at, end - at));
    } else {
      end = std::min(text.find_first_of("`-", at + 1), text.size());
      out += escaped(text.substr(at, end - at));
    }
    at = end;
  }
  return out;
}

std::string figure(std::string_view key, double value, std::string_view shown) {
  return fmt::format("<data id=\"{}\" value=\"{}\">{}</data>", escaped(key), shortest(value),
                     escaped(shown));
}

std::string report_page(std::string_view verb, std::string_view title, std::string_view report,
                        std::string_view command, std::string_view more) {
  const std::string body = "<main>\n" + element("p", "class=\"small\"", escaped(title)) + "\n" +
                           std::string(report) +
                           section("Repeat it", command_block(command) + std::string(more));
  const std::string end = left_out_section(verb) + words_section(body, verb) + "</main>\n";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\" />"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\" />"
      "<title>{}</title><style>{}{}</style></head>\n<body>\n{}"
      "<script type=\"module\">//<![CDATA[\n{}{}//]]></script>\n</body></html>\n",
      escaped(title), page_part("report.css"), page_part("chart.css"),
      with_whole_quantities(with_contents(body + end)), page_part("chart.js"),
      page_part("report.js"));
}

std::string dated(const std::string& title, const std::string& timestamp) {
  return timestamp.empty() ? title : title + ", " + timestamp;
}

std::string section(std::string_view heading, std::string_view content, int level) {
  if (content.empty()) return {};
  return section_begin(heading, level) + std::string(content) + "</section>\n";
}

std::string section_begin(std::string_view heading, int level) {
  const std::string id = level == 2 ? fmt::format(" id=\"{}\"", anchor_of(heading)) : "";
  return fmt::format("<section{2}><h{0}>{1}</h{0}>\n", level, escaped(heading), id);
}

std::string page_heading(std::string verdict) {
  while (!verdict.empty() && verdict.back() == '\n') verdict.pop_back();
  return element("h1", "", escaped(capitalised(std::move(verdict)))) + "\n";
}

std::string tile(std::string_view key, double value, std::string_view shown,
                 std::string_view what) {
  if (!std::isfinite(value)) return {};
  return element("div", "",
                 element("b", "", figure(key, value, shown)) + element("span", "", escaped(what)));
}

std::string tiles(std::string_view each) { return element("div", "class=\"tiles\"", each) + "\n"; }

std::string page_paragraph(std::string_view text) { return element("p", "", escaped(text)) + "\n"; }

std::string bullets(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string items;
  for (const std::string& text : texts) items += element("li", "", prose(text)) + "\n";
  return element("ul", "", items);
}

std::string page_figure(std::string_view finding, std::string_view detail, std::string_view picture,
                        const Json& curve) {
  const std::string small = detail.empty() ? "" : element("span", "", escaped(detail));
  const std::string data =
      curve.is_null() ? "" : fmt::format(" data-curve=\"{}\"", escaped(curve.dump()));
  return fmt::format("<figure{}><figcaption>{}{}</figcaption>\n{}</figure>\n", data,
                     escaped(finding), small, picture);
}

std::string command_block(std::string_view command) {
  constexpr std::size_t kLongest = 30;  // what a telephone shows in one line
  std::string code;
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find_first_of(" \n", at), command.size() - 1) + 1;
    const std::string word = escaped(command.substr(at, end - at));
    const bool is_flag = word.starts_with("--") && word.size() <= kLongest;
    code += is_flag ? element("span", "", word) : word;
    at = end;
  }
  return element("pre", "", element("code", "", code)) + "\n";
}

std::string_view mood_class(Mood mood) {
  return mood == Mood::bad ? "short" : mood == Mood::doubtful ? "tight" : "";
}

PageTable::PageTable(std::string caption, std::vector<std::string> header)
    : caption_(std::move(caption)), header_(std::move(header)), is_figure_(header_.size()) {}

void PageTable::add(const std::vector<Cell>& cells, bool mark) {
  rows_ += mark ? "<tr class=\"mark\">" : "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    const bool exact = cell.value && std::isfinite(*cell.value);
    if (cell.value) is_figure_[i] = true;
    std::string content = escaped(cell.text);
    if (exact && !cell.key.empty()) content = figure(cell.key, *cell.value, cell.text);
    if (exact && cell.key.empty()) {
      content = fmt::format("<data value=\"{}\">{}</data>", shortest(*cell.value), content);
    }
    const bool is_long = cell.text.size() > kShortText;
    ends_in_text_ = ends_in_text_ || (is_long && i + 1 == header_.size());
    rows_ += element("td",
                     class_of({is_figure_[i] ? "n"
                               : is_long     ? "t"
                                             : "",
                               cell.mood}),
                     content);
  }
  for (std::size_t i = cells.size(); i < header_.size(); ++i) rows_ += "<td></td>";
  rows_ += "</tr>\n";
}

std::string PageTable::markup() const {
  if (rows_.empty()) return {};
  std::string head;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    const bool names = !header_[i].empty();  // the head of the names of rows needs none
    head += names ? element("th", is_figure_[i] ? "scope=\"col\" class=\"n\"" : "scope=\"col\"",
                            escaped(header_[i]))
                  : "<td></td>";
  }
  const std::string caption =
      caption_.empty() ? "" : element("caption", "", element("span", "", escaped(caption_)));
  constexpr std::size_t kFew = 2;
  const std::string stacks =
      ends_in_text_ && header_.size() > kFew
          ? fmt::format(" class=\"stacks\" style=\"--beside:{}\"", header_.size() - 1)
          : "";
  return fmt::format(
      "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"{}\"><table{}>{}"
      "<thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      escaped(caption_.empty() ? join(header_, ", ") : caption_), stacks, caption, head, rows_);
}

void DataTable::Packed::add(const std::string& text) {
  const auto [place, is_new] = places.emplace(text, texts.size());
  if (is_new) texts.push_back(text);
  if (times > 0 && place->second == last) {
    ++times;
    return;
  }
  if (times > 0) runs += run_text(last, times) + " ";
  last = place->second;
  times = 1;
}

std::string DataTable::Packed::all_runs() const { return runs + run_text(last, times); }

DataTable::DataTable(std::string caption, std::string without, std::vector<std::string> heads)
    : caption_(std::move(caption)), without_(std::move(without)) {
  for (std::string& head : heads) columns_.emplace_back().head = std::move(head);
}

void DataTable::add(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].add(cells[i]);
}

std::string DataTable::markup() const {
  Json columns = Json::array();
  for (const Packed& column : columns_) {
    if (column.texts.empty() || (column.texts.size() == 1 && column.texts[0].empty())) continue;
    columns.push_back(
        Json{{"head", column.head}, {"texts", column.texts}, {"runs", column.all_runs()}});
  }
  if (columns.empty()) return {};
  const Json data{{"caption", caption_}, {"columns", columns}};
  return fmt::format(
      "<div class=\"data-table\">{}<script type=\"application/json\">{}</script></div>\n",
      element("p", "", escaped(without_)), within_script(data.dump()));
}

}  // namespace plimsoll
