// The named values of the policies that a flag can choose. These tables feed the parser, the
// help, `plimsoll list` and the error messages.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/semantics.h"
#include "cli/options.h"
#include "cluster/deployment.h"
#include "engine/engine_config.h"

namespace plimsoll {

/// A value without an enumerator is known from the reference simulator but not built yet; `help`
/// then names the feature that brings it.
template <class E>
struct Choice {
  std::string_view name;
  std::optional<E> value;
  std::string_view help;
};

std::span<const Choice<SchedulerPolicy>> scheduler_choices();
std::span<const Choice<PreemptionPolicy>> preemption_choices();
std::span<const Choice<AdmissionPolicyKind>> admission_choices();
std::span<const Choice<SemanticsMode>> semantics_choices();
std::span<const Choice<ColorChoice>> color_choices();
std::span<const Choice<LogLevel>> log_choices();
std::span<const Choice<SessionMode>> session_choices();

/// The name of a value that its table holds.
template <class E>
std::string_view choice_name(std::span<const Choice<E>> choices, E value) {
  for (const Choice<E>& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return {};
}

}  // namespace plimsoll
