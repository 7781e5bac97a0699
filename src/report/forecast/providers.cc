// The providers of a forecast, one row for each: what comes to it, what it lets in and charges.

#include <fmt/format.h>

#include "base/text.h"
#include "report/forecast/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

constexpr double kSomeRefused = 5e-5;  // less is shown as none

std::vector<std::string> provider_cells(const ProviderRow& row) {
  const auto of_most = [](double demand, const std::optional<double>& most) {
    return amount_text(demand) + (most ? " of " + amount_text(*most) : "");
  };
  return {row.provider,
          of_most(row.requests_per_min, row.most_requests_per_min),
          of_most(row.tokens_per_min, row.most_tokens_per_min),
          row.used() ? percent(*row.used()) : "-",
          percent(row.refused < kSomeRefused ? 0 : row.refused),
          amount_text(row.usd_per_month)};
}

const std::vector<std::string> kProviderHeads{"provider", "requests/min", "tokens/min",
                                              "used",     "refused",      "$/month"};

}  // namespace

std::vector<Column> provider_columns(const ForecastReport& r) {
  std::vector<Column> columns;
  for (const std::string& head : kProviderHeads)
    columns.push_back({head, {}, head != kProviderHeads.front()});
  for (const ProviderRow& row : r.headroom.providers) {
    add_row(&columns, provider_cells(row));
  }
  return columns;
}

std::string provider_sentence(const ForecastReport& r) {
  const ProviderRow* first = nullptr;
  double usd = 0;
  for (const ProviderRow& row : r.headroom.providers) {
    usd += row.usd_per_month;
    if (row.used() && (first == nullptr || *row.used() > *first->used())) first = &row;
  }
  const std::string bill = fmt::format("providers cost ${} a month", amount_text(usd));
  if (first == nullptr) return bill;
  std::string text =
      fmt::format("{} {}, at {} of it", first->provider,
                  *first->used() > 1 ? "exceeds its limit first" : "comes nearest to its limit",
                  percent(*first->used()));
  if (first->refused >= kSomeRefused) {
    text += fmt::format("; while the peak lasts it refuses {} of its requests (429)",
                        percent(first->refused));
  }
  return text + "; " + bill;
}

std::string providers_html(const ForecastReport& r) {
  if (r.headroom.providers.empty()) return {};
  PageTable table("", kProviderHeads);
  for (const ProviderRow& row : r.headroom.providers) {
    std::vector<PageTable::Cell> cells;
    for (const std::string& text : provider_cells(row)) cells.push_back({text});
    table.add(cells);
  }
  return element("p", "", escaped(provider_sentence(r) + ".")) + "\n" + table.markup();
}

}  // namespace plimsoll
