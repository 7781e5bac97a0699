// Readers of recorded traffic in the formats that `replay --trace` takes. Each gives a workload
// sorted by arrival, equal times in the order of the file, ids 0, 1, ... in the order of arrival.
// Files may be plain, gzip or zstd and are read piece by piece. All check every value: the first
// thing wrong is a spec error with file, line and column; damaged files are io errors.
#pragma once

#include <string>

#include "base/choice.h"
#include "base/result.h"
#include "workload/line_reader.h"
#include "workload/workload.h"

namespace plimsoll {

enum class TraceFormat { azure, mooncake, sharegpt, csv };

Choices<TraceFormat> trace_formats();

Result<Workload> read_trace(const std::string& path, TraceFormat format);
Result<Workload> read_trace(LineReader lines, TraceFormat format);

/// Mooncake (FAST'25) JSON lines: timestamp in ms, input_length, output_length, hash_ids, with one
/// id for each block of 512 prompt tokens; equal leading ids are a shared prefix.
Result<Workload> read_mooncake_trace(LineReader lines);

/// ShareGPT conversations as LLMServingSim publishes them, JSON lines: timestamp_us, input_length,
/// output_length, hash_ids, with one id for each full block of 16 prompt tokens.
Result<Workload> read_sharegpt_trace(LineReader lines);

/// An arrival later than this after the start of a trace is taken for a wrong unit.
inline constexpr Duration kLongestTrace = seconds(366 * 86'400);

/// Ends the work of all readers: refuses a trace without requests, sorts, numbers the requests.
Result<Workload> finish_trace(Workload workload, const std::string& file);

}  // namespace plimsoll
