// Recordings of an engine's counters in the forms in which people have them, all as what Prometheus
// answers to a range query, which forecast/history/prometheus.h reads. Called by `convert metrics`.
//
// - A response of /api/v1/query_range, or an array of them: as it is.
// - What /metrics or /federate print, one scrape below the other: a sample has the time written
//   behind it (milliseconds), else that of the last line that is nothing but a time (seconds,
//   milliseconds or ISO 8601 with a zone), such as `date +%s` prints before each scrape.
// - OpenTelemetry, a line of OTLP JSON for each export, as the file exporter writes them: sums that
//   only grow, cumulative or by interval.
#pragma once

#include <string>

#include "base/result.h"

namespace plimsoll {

/// A spec error with the line of the first thing wrong.
Result<std::string> as_range_response(const std::string& text, const std::string& file);

}  // namespace plimsoll
