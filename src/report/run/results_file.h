// One row per request, for spreadsheets and scripts (`--results-path`).
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "engine/run_record.h"
#include "workload/request.h"

namespace plimsoll {

/// Checks before the run what would make write_results() fail after it: the path ends in .csv or
/// .json (else a usage error), its folder exists and no folder has its name (else an io error).
Result<void> check_results_path(const std::string& path);

/// Columns request_id, arrival_ms, input_tokens, output_tokens (asked for), ttft_ms, e2e_ms, itl_ms
/// (mean of the request's gaps), scheduling_delay_ms, handled_by, status, then the parts of its
/// time (metrics/breakdown.h), slo_class, tenant, session, round, cached_tokens, generated_tokens
/// (of completed requests), preemptions, client, reason (why it was turned away), the names as
/// `labels` has them; requests in order of arrival. `rows_on_their_way` false leaves out unfinished
/// requests that had not reached an instance (Semantics::rows_of_requests_on_their_way). What was
/// not measured is 0, as in the reference's rows. CSV with a header line, or a JSON array of
/// objects. The file appears under its name only when it is whole; what stood there before stays
/// until then. Failures are io errors.
Result<void> write_results(const std::string& path, const RunRecord& record, const Labels& labels,
                           bool rows_on_their_way = true);

/// The file of `--metrics-path`: the JSON report with one object per request, in the form of the
/// reference simulator. `report` is the text of summary_json(). Requests are in order of arrival,
/// in milliseconds but for `arrived_at` (seconds); what was not measured is 0, what does not apply
/// is left out. `rows_on_their_way` as in write_results().
Result<void> write_metrics(const std::string& path, const std::string& report,
                           const RunRecord& record, const Labels& labels, bool rows_on_their_way);

}  // namespace plimsoll
