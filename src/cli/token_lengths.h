// The token lengths that flags ask for: of a mean that is given alone, the rest stands in. Called
// by every verb that makes its traffic from flags, so that the same flags are the same traffic.
#pragma once

#include "base/semantics.h"
#include "cli/options.h"
#include "workload/length_distribution.h"

namespace plimsoll {

/// What is not given of deviation and limits is the usual share of the mean: a half, and from
/// 2 tokens to 13.7 times as many. Around the usual mean of 512 tokens these are +- 256 from 2 to
/// 7,000, the defaults of the public simulator BLIS. Where semantics say that lengths do not follow
/// their mean, they are those whatever the mean.
GaussianLength prompt_length(const Options& options, const Semantics& semantics);
GaussianLength answer_length(const Options& options, const Semantics& semantics);

}  // namespace plimsoll
