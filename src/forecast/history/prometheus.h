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

// Recordings of an engine's counters in the forms in which people have them, all as what Prometheus
// answers to a range query, which forecast/history/prometheus.h reads. Called by `convert metrics`.
//
// - A response of /api/v1/query_range, or an array of them: as it is.
// - What /metrics or /federate print, one scrape below the other: a sample has the time written
//   behind it (milliseconds), else that of the last line that is nothing but a time (seconds,
//   milliseconds or ISO 8601 with a zone), such as `date +%s` prints before each scrape.
// - OpenTelemetry, a line of OTLP JSON for each export, as the file exporter writes them: sums that
//   only grow, cumulative or by interval.

/// A spec error with the line of the first thing wrong.
Result<std::string> as_range_response(const std::string& text, const std::string& file);

}  // namespace plimsoll
