// What a simulated case amounts to, under the names that its measurements have.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "engine/run_record.h"
#include "validation/case.h"

namespace plimsoll {

/// By path below `measured`, as Case::measured.
using CaseFigures = std::map<std::string, double>;

/// Means and percentiles of the rows first .. first + count: ttft_ms, tpot_ms, e2e_ms, each with
/// .mean, .p50, .p90, .p99, over completed requests; completed, failed, duration_s, requests_per_s,
/// output_tokens_per_s. Paths begin with `prefix`.
void add_figures(const RequestTable& rows, std::size_t first, std::size_t count,
                 const std::string& prefix, CaseFigures* figures);

/// Every first token comes so much later: for the figures of requests under `prefix`.
void delay_first_tokens(double delay_ms, const std::string& prefix, CaseFigures* figures);

/// Of requests that complete in the window.
void add_window(const RequestTable& rows, const CaseWindow& window, CaseFigures* figures);

/// Whether the median TTFT of the last fifth of these rows exceeds both one second and five times
/// that of the first fifth, failed requests counting as infinite; or more than 5 % fail.
bool is_saturated(const RequestTable& rows, std::size_t first, std::size_t count);

}  // namespace plimsoll
