// What came against what was forecast, in words: for the sheet, the JSON report and the page.
#pragma once

#include <string>

#include "forecast/runway/actuals.h"
#include "report/run/terminal.h"

namespace plimsoll {

std::string title_of(const ActualRow& row);  ///< "prompt tokens/s", "requests to chat"
std::string_view unit_of(const ActualRow& row);
/// In the unit of the row, three digits.
std::string amount_of(const ActualRow& row, double value);
std::string forecast_of(const ActualRow& row);  ///< with its band
std::string error_of(const ActualRow& row);     ///< "+25.7 %"
std::string inside_of(const ActualRow& row);    ///< "yes", "no", or "-" without a band

/// One sentence without a period: what was most wrong.
std::string actuals_verdict(const Actuals& actuals);
/// "came.csv, 2026-11-15T00:00Z to 2026-11-22T00:00Z".
std::string actuals_source(const Actuals& actuals);
std::string actuals_text(const Actuals& actuals, const Style& style);

}  // namespace plimsoll
