// The named values of the policies that a flag can choose.
#pragma once

#include "base/choice.h"
#include "base/semantics.h"
#include "catalog/model.h"
#include "cluster/deployment.h"
#include "engine/engine_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

Choices<Sampling> sampling_choices();
Choices<SchedulerPolicy> scheduler_choices();
Choices<PreemptionPolicy> preemption_choices();
Choices<AdmissionPolicyKind> admission_choices();
Choices<SaturationSignal> saturation_signal_choices();
Choices<DispatchOrder> dispatch_order_choices();
Choices<FairnessPolicy> fairness_choices();
Choices<SemanticsMode> semantics_choices();
Choices<SessionMode> session_choices();

}  // namespace plimsoll
