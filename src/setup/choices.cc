#include "setup/choices.h"

namespace plimsoll {

Choices<Sampling> sampling_choices() {
  static constexpr Choice<Sampling> kChoices[]{
      {"greedy", Sampling::greedy, "the likeliest token, as clients ask that set temperature 0"},
      {"top-p", Sampling::top_p, "top-p or top-k, which sort all logits of the vocabulary"},
  };
  return kChoices;
}

Choices<SchedulerPolicy> scheduler_choices() {
  static constexpr Choice<SchedulerPolicy> kChoices[]{
      {"fcfs", SchedulerPolicy::fcfs, "first come, first served"},
      {"priority-fcfs", SchedulerPolicy::priority_fcfs,
       "most urgent SLO class first, then by arrival"},
      {"sjf", SchedulerPolicy::sjf, "shortest prompt first"},
      {"reverse-priority", SchedulerPolicy::reverse_priority,
       "least urgent SLO class first (to study starvation)"},
  };
  return kChoices;
}

Choices<PreemptionPolicy> preemption_choices() {
  static constexpr Choice<PreemptionPolicy> kChoices[]{
      {"fcfs", PreemptionPolicy::fcfs, "the request admitted last loses its place"},
      {"priority", PreemptionPolicy::priority, "the least urgent request loses its place"},
  };
  return kChoices;
}

Choices<AdmissionPolicyKind> admission_choices() {
  static constexpr Choice<AdmissionPolicyKind> kChoices[]{
      {"always-admit", AdmissionPolicyKind::always_admit, "everything enters"},
      {"token-bucket", AdmissionPolicyKind::token_bucket,
       "prompt tokens are taken from a bucket that refills at a fixed rate"},
      {"reject-all", AdmissionPolicyKind::reject_all, "nothing enters (to test clients)"},
      {"tier-shed", AdmissionPolicyKind::tier_shed,
       "above a load of the busiest instance only urgent classes enter"},
      {"gaie-legacy", AdmissionPolicyKind::gaie_legacy,
       "sheddable classes enter only while queues and KV caches have room"},
  };
  return kChoices;
}

Choices<SaturationSignal> saturation_signal_choices() {
  static constexpr Choice<SaturationSignal> kChoices[]{
      {"never", SaturationSignal::never, "nothing is held back"},
      {"utilization", SaturationSignal::utilization,
       "waiting requests and KV use of the instances, each by its threshold"},
      {"concurrency", SaturationSignal::concurrency, "requests in flight by --max-concurrency"},
  };
  return kChoices;
}

Choices<DispatchOrder> dispatch_order_choices() {
  static constexpr Choice<DispatchOrder> kChoices[]{
      {"fifo", DispatchOrder::fifo, "first in, first out"},
      {"priority", DispatchOrder::priority, "the most urgent SLO class first"},
      {"slo-deadline", DispatchOrder::slo_deadline,
       "the most urgent SLO class first, in it the tenant that --fairness-policy names, of its "
       "requests the earliest deadline (--slo-targets)"},
  };
  return kChoices;
}

Choices<FairnessPolicy> fairness_choices() {
  static constexpr Choice<FairnessPolicy> kChoices[]{
      {"global-strict", FairnessPolicy::global_strict, "the tenant that has waited longest"},
      {"round-robin", FairnessPolicy::round_robin, "one tenant after the other"},
  };
  return kChoices;
}

Choices<SemanticsMode> semantics_choices() {
  static constexpr Choice<SemanticsMode> kChoices[]{
      {"vllm", SemanticsMode::vllm, "the engine as it behaves"},
      {"blis", SemanticsMode::blis, "the reference simulator BLIS, its defaults included"},
  };
  return kChoices;
}

Choices<SessionMode> session_choices() {
  static constexpr Choice<SessionMode> kChoices[]{
      {"fixed", SessionMode::fixed, "rounds arrive as recorded"},
      {"closed-loop", SessionMode::closed_loop, "each round after the answer to the one before"},
  };
  return kChoices;
}

}  // namespace plimsoll
