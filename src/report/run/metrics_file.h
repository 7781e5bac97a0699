// The file of `--metrics-path`: the JSON report with one object per request, in the form of the
// reference simulator.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/run_record.h"
#include "workload/request.h"

namespace plimsoll {

/// `report` is the text of summary_json(). Requests are in order of arrival, in milliseconds but
/// for `arrived_at` (seconds); what was not measured is 0, what does not apply is left out.
/// `rows_on_their_way` as in write_results().
Result<void> write_metrics(const std::string& path, const std::string& report,
                           const RunRecord& record, const Labels& labels, bool rows_on_their_way);

}  // namespace plimsoll
