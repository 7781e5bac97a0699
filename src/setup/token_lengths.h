// The token lengths that are asked for: of a mean that is given alone, the rest stands in. Called
// wherever traffic is drawn, so that the same settings are the same traffic.
#pragma once

#include "base/semantics.h"
#include "setup/run_spec.h"
#include "workload/length_distribution.h"

namespace plimsoll {

/// Deviation and limits that are not given are the usual share of the mean: a half, and from
/// 2 tokens to 13.7 times as many. Around the usual mean of 512 tokens these are +- 256 from 2 to
/// 7,000, the defaults of the public simulator BLIS. Where semantics say that lengths do not follow
/// their mean, they are those whatever the mean.
GaussianLength length_of(const LengthSpec& asked, const Semantics& semantics);

}  // namespace plimsoll
