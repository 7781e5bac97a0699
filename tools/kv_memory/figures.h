// What Plimsoll says of the memory of the cases, and how far it is off. GiB are of one GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kv_memory/cases.h"

namespace plimsoll::kv_memory {

struct MemoryFigures {
  double weights_gib = 0;
  double kv_gib = 0;  ///< negative: it does not fit
  // Ends of the interval that answers carry: of the build that they take, not of the case's own.
  double low_gib = 0;
  double high_gib = 0;
};

Result<MemoryFigures> figures_of(const LoggedEngine& row);

/// What was left for the KV cache, with what the engine had set aside for CUDA graphs before; none
/// where the utilization was not stated.
std::optional<double> left_gib(const LoggedEngine& row);

/// In percent of what was measured; none where no cache was left.
std::optional<double> kv_error(const LoggedEngine& row, const MemoryFigures& figures);
std::optional<double> weights_error(const LoggedEngine& row, const MemoryFigures& figures);

/// The tables of docs/explanation/accuracy-kv-memory.md: all cases, and the sentence that sums them
/// up.
std::string cases_table(const std::vector<LoggedEngine>& cases,
                        const std::vector<MemoryFigures>& figures);
std::string summary(const std::vector<LoggedEngine>& cases,
                    const std::vector<MemoryFigures>& figures);

}  // namespace plimsoll::kv_memory
