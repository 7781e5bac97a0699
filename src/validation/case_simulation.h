// A measured case simulated as it was measured: what `validate` compares and `calibrate` fits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "catalog/model.h"
#include "engine/run_record.h"
#include "validation/case.h"
#include "validation/case_deployment.h"
#include "validation/case_figures.h"

namespace plimsoll {

/// As the case says, else as usual for its model.
Sampling sampling_of(const Case& measured, Sampling usual);

/// The requests of a trace, in the order of its rows.
RequestTable simulate_rows(const Case& measured, const CaseSetup& setup);

/// The figures of a trace or of stages, by path.
CaseFigures simulate_open_loop(const Case& measured, const CaseSetup& setup, std::uint64_t seed);

/// Those of one point of a closed loop, under "points[number].".
CaseFigures simulate_point(const Case& measured, std::size_t number, const CaseSetup& setup,
                           std::uint64_t seed);

}  // namespace plimsoll
