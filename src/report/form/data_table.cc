#include "report/form/data_table.h"

#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

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
