#include "report/form/page.h"

#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

// One accent for what the page is about, one warning colour for limits, greys for the rest; all
// text has a contrast of 4.5:1 or more on its ground.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ground:#fff;--text:#1c2024;--dim:#57606a;--line:#d5dae0;
--fill:#f1f4f7;--accent:#0b5cad;--warn:#b3261e;--tight:#fdeceb;--short:#f5c3be;--p1:#0b5cad;--p2:#5f6c7a;--p3:#98a4b1;--p4:#c9d1d9}
@media (prefers-color-scheme:dark){:root{--ground:#13171c;--text:#e3e7eb;--dim:#9da8b4;
--line:#363e47;--fill:#1d232a;--accent:#6cb2ff;--warn:#ff8f85;--tight:#3a2422;--short:#74302a;
--p1:#6cb2ff;--p2:#8c99a6;
--p3:#626f7d;--p4:#414b56}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:24px 16px 48px;background:var(--ground);
color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:break-word}
h1{font-size:24px;line-height:1.3;margin:4px 0 12px;text-wrap:balance}
h2{font-size:16px;margin:36px 0 8px;padding-top:12px;border-top:1px solid var(--line)}
h3{font-size:14px;margin:24px 0 6px}
p,ul{margin:8px 0;max-width:76ch}
ul{padding-left:20px}
li{margin:4px 0}
.small,figcaption,caption,th,.tiles span{font-size:13px;color:var(--dim);font-weight:400}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(136px,1fr));gap:12px;
margin:20px 0}
.tiles div{max-width:340px;background:var(--fill);border-radius:6px;padding:10px 12px}
.tiles b{display:block;font-size:24px;line-height:1.25}
.tiles span{display:block}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));
gap:20px 28px}
figure{margin:8px 0;min-width:0;break-inside:avoid}
figcaption{color:var(--text);font-weight:600;margin-bottom:4px}
figcaption span{display:block;color:var(--dim);font-weight:400}
svg{display:block;width:100%;height:auto;font-size:11px;fill:var(--text)}
svg.bar{height:18px}
svg text{paint-order:stroke;stroke:var(--ground);stroke-width:3px;stroke-linejoin:round}
svg .axis,svg .grid{stroke:var(--line);fill:none}
svg .dim{fill:var(--dim)}
svg .main{stroke:var(--accent);stroke-width:2;fill:none}
svg .other{stroke:var(--dim);stroke-width:1.2;fill:none}
svg .band{fill:var(--accent);opacity:.18}
svg .beyond{fill:var(--warn);opacity:.07}
svg .limit{stroke:var(--warn);stroke-width:1.5;stroke-dasharray:5 3;fill:none}
svg .limit-text{fill:var(--warn)}
svg .pick{fill:var(--accent);stroke:var(--ground);stroke-width:1.5}
svg .pick-text{fill:var(--accent);font-weight:600}
svg .dot{fill:var(--ground);stroke:var(--dim);stroke-width:1.5}
svg .faint{fill:var(--dim);opacity:.45}
svg .fails{fill:none;stroke:var(--warn);stroke-width:1.5}
svg .p1{fill:var(--p1)}svg .p2{fill:var(--p2)}svg .p3{fill:var(--p3)}svg .p4{fill:var(--p4)}
.key{display:inline-block;width:11px;height:11px;margin:0 5px 0 0}
.key.p1{background:var(--p1)}.key.p2{background:var(--p2)}.key.p3{background:var(--p3)}
.key.p4{background:var(--p4)}
.parts span{margin-right:18px;white-space:nowrap}
time{white-space:nowrap}
.wide{overflow-x:auto;background:
linear-gradient(to left,var(--ground) 50%,transparent) right/28px 100% no-repeat local,
linear-gradient(to left,var(--line),transparent) right/14px 100% no-repeat}
.wide td:first-child,.wide th:first-child{position:sticky;left:0;background:var(--ground)}
table{border-collapse:collapse;width:100%;margin:8px 0;font-size:14px}
caption{text-align:left;padding-bottom:4px}
caption span{display:block;max-width:calc(100vw - 32px)}
th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--line);
vertical-align:top}
th{vertical-align:bottom}
.n{text-align:right}
td.n{white-space:nowrap}
td:first-child{min-width:7.5em}
td.t{min-width:11em}
.n+td:not(.n),.n+th:not(.n){padding-left:8px}
td.tight{background:var(--tight)}td.short{background:var(--short)}
.gauge p{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 16px;max-width:none;
margin:10px 0 2px;font-size:14px}
.gauge svg{height:22px}
.gauge svg *{vector-effect:non-scaling-stroke}
svg .whisker{stroke:var(--text);stroke-width:1.5;fill:none}
svg .over{fill:var(--warn)}
b.short{color:var(--warn)}
tr.mark td{color:var(--accent);font-weight:600}
th.by{cursor:pointer;text-decoration:underline dotted}
dl{display:grid;grid-template-columns:max-content minmax(0,76ch);gap:6px 20px;margin:24px 0}
dt{color:var(--dim);font-size:14px}dd{margin:0;grid-column:2}dd pre{margin:4px 0 0}
pre{background:var(--fill);border-radius:6px;padding:10px 12px;white-space:pre-wrap;
overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace}
@media (max-width:600px){dl{display:block}dd{margin-bottom:8px}h1{font-size:20px}table{font-size:13px}th,td{padding-right:10px}
td.t{min-width:9em}}
@media print{:root{--ground:#fff;--text:#000;--dim:#333;--line:#aaa;--fill:#fff;--accent:#000;
--warn:#000;--tight:#eee;--short:#ccc;--p1:#000;--p2:#555;--p3:#999;--p4:#ccc}body{max-width:none;padding:0}
svg *,.key,td{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.wide{overflow:visible;background:none}.wide td:first-child,.wide th:first-child{position:static}
h2,h3{break-after:avoid}tr,pre{break-inside:avoid}.tiles div,pre{border:1px solid #aaa}}
)";

// A click on a head sorts by its column, a second one the other way round.
constexpr std::string_view kScript = R"(
document.querySelectorAll("th").forEach(function(th){th.className+=" by";th.onclick=function(){
var i=th.cellIndex,up=th.dataset.up=th.dataset.up==="1"?"":"1",b=th.closest("table").tBodies[0];
var key=function(r){var c=r.cells[i],d=c.querySelector("data");return d?+d.value:c.textContent};
Array.from(b.rows).sort(function(x,y){var a=key(x),c=key(y),s=typeof a==="number"?
(typeof c==="number"?a-c:-1):String(a).localeCompare(String(c));return up?s:-s})
.forEach(function(r){b.appendChild(r)})}});
)";

// Letters; longer texts keep some width where columns are many.
constexpr std::size_t kShortText = 20;

std::string class_of(std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!name.empty()) list += (list.empty() ? "" : " ") + std::string(name);
  }
  return list.empty() ? list : "class=\"" + list + "\"";
}

}  // namespace

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{}{}{}>{}</{}>", name, attributes.empty() ? "" : " ", attributes, content,
                     name);
}

std::string figure(std::string_view key, double value, std::string_view shown) {
  return fmt::format("<data id=\"{}\" value=\"{}\">{}</data>", escaped(key), shortest(value),
                     escaped(shown));
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\" />"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\" />"
      "<title>{}</title><style>{}</style></head>\n<body>\n{}<script>{}</script>\n</body></html>\n",
      escaped(title), kStyle, body, kScript);
}

std::string report_page(std::string_view title, std::string_view report) {
  return page(title, "<main>\n" + element("p", "class=\"small\"", escaped(title)) + "\n" +
                         std::string(report) + "</main>\n");
}

std::string section(std::string_view heading, std::string_view content, int level) {
  if (content.empty()) return {};
  return fmt::format("<section><h{0}>{1}</h{0}>\n{2}</section>\n", level, escaped(heading),
                     content);
}

std::string page_heading(std::string verdict) {
  while (!verdict.empty() && verdict.back() == '\n') verdict.pop_back();
  if (!verdict.empty() && verdict[0] >= 'a' && verdict[0] <= 'z') {
    verdict[0] = static_cast<char>(verdict[0] - 'a' + 'A');
  }
  return element("h1", "", escaped(verdict)) + "\n";
}

std::string tile(std::string_view key, double value, std::string_view shown,
                 std::string_view what) {
  if (!std::isfinite(value)) return {};
  return element("div", "",
                 element("b", "", figure(key, value, shown)) + element("span", "", escaped(what)));
}

std::string bullets(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string items;
  for (const std::string& text : texts) items += element("li", "", escaped(text)) + "\n";
  return element("ul", "", items);
}

std::string page_figure(std::string_view finding, std::string_view detail,
                        std::string_view picture) {
  const std::string small = detail.empty() ? "" : element("span", "", escaped(detail));
  return fmt::format("<figure><figcaption>{}{}</figcaption>\n{}</figure>\n", escaped(finding),
                     small, picture);
}

std::string command_block(std::string_view command) {
  return element("pre", "", element("code", "", escaped(command))) + "\n";
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
    rows_ += element("td",
                     class_of({is_figure_[i] ? "n"
                               : is_long     ? "t"
                                             : "",
                               cell.mood}),
                     content);
  }
  rows_ += "</tr>\n";
}

std::string PageTable::markup() const {
  if (rows_.empty()) return {};
  std::string head;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    head += element("th", is_figure_[i] ? "scope=\"col\" class=\"n\"" : "scope=\"col\"",
                    escaped(header_[i]));
  }
  const std::string caption =
      caption_.empty() ? "" : element("caption", "", element("span", "", escaped(caption_)));
  return fmt::format(
      "<div class=\"wide\"><table>{}<thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      caption, head, rows_);
}

}  // namespace plimsoll
