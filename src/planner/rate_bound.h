// What one instance can serve at most, whatever waits and however batches mix: what prunes
// candidates before any test has to be certain, not likely. Called by setup/planned.cc, judged in
// planner/candidate_opening.h.
#pragma once

#include "cluster/deployment.h"
#include "engine/engine_config.h"
#include "perf/step_time_model.h"
#include "planner/estimate.h"

namespace plimsoll {

/// In requests per second. Each request needs answer - 1 decodes and the tokens of its prompt that
/// no cache can have, all of them in steps of some number of decodes and of prompt tokens. Of any
/// mixture of steps, and for any weight w in [0, 1], the rate is at most the greatest of
///   (w decodes / decodes of a request + (1 - w) tokens / tokens of a request) / duration
/// over the steps that places, budget and memory allow: weak duality of linear programs. The least
/// over w is the bound. Limits on latency do not enter, and memory only by what requests cannot
/// share. Exact for the mean lengths of a traffic where durations are linear in the context.
/// Of all instances of a split together. Every answer is made by the instances for decode, which
/// bounds the rate by their decodes alone; where every prompt is computed apart, those for prefill
/// bound it by theirs. Where a decider chooses, each weight above gives a bound of both pools: that
/// of one for prefill is (1 - w) x what it serves of prompts alone. Transfers do not enter.
double most_rps(const Deployment& deployment, const TokenShape& shape);

double most_rps(const StepTimeModel& model, const EngineConfig& engine, const TokenShape& shape);

}  // namespace plimsoll
