// The answer of Prometheus to a range query of an engine's counters, as the rows of a history: the
// response of /api/v1/query_range as it comes, or an array of several.
//
// Counters become counts per step. One that is smaller than before began again at 0 (a restart). A
// step without a sample shares what came until the next one (forecast/history/counter_series.h);
// what came before the first sample of a series is not counted, as increase() in PromQL does not.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "forecast/history/history.h"
#include "forecast/history/rows.h"

namespace plimsoll {

/// True of a text that is JSON, as the file of a history may be instead of CSV.
bool is_prometheus(std::string_view text);
bool is_prometheus_file(const std::string& path);

/// Series with the same value of the label `options.route_label` are one route; without a label all
/// are. Metrics that are no demand are left out, and a note says which. A spec error for what is no
/// matrix of counters, or has one of requests under a name that is not known.
Result<HistoryRows> read_prometheus_rows(const std::string& text, const std::string& file,
                                         const HistoryOptions& options);

}  // namespace plimsoll
