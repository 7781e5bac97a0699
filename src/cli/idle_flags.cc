#include "cli/idle_flags.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "cli/flags.h"
#include "metrics/goodput.h"

namespace plimsoll {
namespace {

/// Of `class=500ms,class=2s,1s`.
std::vector<std::string> classes_named(std::string_view limits) {
  std::vector<std::string> names;
  for (const std::string_view item : split_at(limits, ',')) {
    if (const std::size_t equals = item.find('='); equals != std::string_view::npos) {
      names.emplace_back(item.substr(0, equals));
    }
  }
  return names;
}

bool arrived(const Summary& summary, const std::string& slo_class) {
  return summary.goodput &&
         std::ranges::any_of(summary.goodput->classes, [&](const ClassGoodput& c) {
           return c.name == slo_class && c.figures.arrived > 0;
         });
}

}  // namespace

Result<Setup> setup_of(const Options& options) {
  TRY(setup, make_setup(options.run));
  const std::vector<std::string> idle = notes_on_idle_flags(options);
  setup.notes.insert(setup.notes.begin(), idle.begin(), idle.end());
  return setup;
}

std::vector<std::string> notes_on_idle_flags(const Options& options) {
  std::vector<std::string> notes;
  for (const Flag& flag : flags()) {
    const auto is_off = [&](const Condition& c) { return !c.holds(options.run); };
    const auto condition = std::ranges::find_if(flag.conditions, is_off);
    if (condition == flag.conditions.end()) continue;
    if (flag.value.origin(options) == Origin::usual) continue;
    if (flag.value.texts(options).front() == "false") continue;  // asks for nothing
    notes.push_back(fmt::format("{} has no effect {}", flag.name, condition->otherwise));
  }
  return notes;
}

std::vector<std::string> notes_on_absent_names(const Options& options, const Summary& summary) {
  std::vector<std::string> notes;
  const auto absent = [&](std::string_view flag, std::string_view what, const std::string& name) {
    notes.push_back(fmt::format("{} names {} \"{}\", but no request has it", flag, what, name));
  };
  for (const auto& [flag, text] : {std::pair("--slo-ttft", &options.metrics.slo_ttft),
                                   std::pair("--slo-itl", &options.metrics.slo_itl),
                                   std::pair("--slo-e2e", &options.metrics.slo_e2e)}) {
    for (const std::string& name : classes_named(*text)) {
      if (!arrived(summary, name)) absent(flag, "class", name);
    }
  }
  for (const auto& [tenant, share] : *options.run.cluster.tenant_budgets) {
    const bool known = contains(summary.tenants, tenant, &TrafficGroup::name);
    if (!known) absent("--tenant-budgets", "tenant", tenant);
  }
  return notes;
}

}  // namespace plimsoll
