// The specifications of a plan as flags: the command line of `plimsoll run` behind each candidate,
// and what a report says it was asked.
#pragma once

#include "base/result.h"
#include "cli/parse.h"
#include "report/plan/plan.h"
#include "setup/complete_request.h"
#include "setup/planned.h"

namespace plimsoll {

/// The part of the command line that asks beside the request.
PlanAsked asked_of_plan(const Options& options);

/// Makes the candidates of a complete request, which takes the limits that its traffic states where
/// it has none; prints the notes.
Result<Planned> prepare_plan(const Command& command, PlanRequest* request);

/// Planned::deploy() with the words of the candidate's flags: those of the command line first.
Result<Deployed> deploy_with_words(const Planned& planned, const Options& asked,
                                   const Candidate& candidate);

/// Of a report that has its request and its plan: what it was asked, what stood in, where steps
/// were measured. `planned` made the deployments.
Result<void> fill_report(const Command& command, const Planned& planned, PlanReport* report);

}  // namespace plimsoll
