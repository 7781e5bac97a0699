#include "forecast/demand/combined_changes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

/// What is set in the end, by route and field.
using Settings = std::map<std::pair<std::string, std::string_view>, double>;

std::string_view name_of(double Route::*member) {
  return std::ranges::find(route_fields(), member, &RouteField::member)->name;
}

void add_settings(const Change& change, const std::vector<std::string>& routes, Settings* out) {
  for (const std::string& route : change.routes.empty() ? routes : change.routes) {
    for (const auto& [member, value] : change.set) (*out)[{route, name_of(member)}] = value;
  }
}

std::string text_of(const RetryRule& rule) {
  return fmt::format("{} attempts of {} s", rule.attempts, shortest(rule.timeout_s));
}

class Combining {
 public:
  Combining(const Change& own, const std::vector<std::string>& routes)
      : own_(own), routes_(routes) {
    add_settings(own, routes, &settled_);
  }

  /// What the part says against those before it; empty: nothing.
  std::string problem_with(const Scenario& part) {
    Settings settings;
    for (const Change& change : part.changes) add_settings(change, routes_, &settings);
    for (const auto& [what, value] : settings) {
      if (settled_.contains(what)) continue;
      const auto [before, is_new] = said_.try_emplace(what, value, part.name);
      if (is_new || before->second.first == value) continue;
      return fmt::format("\"{}\" sets \"{}\" of route \"{}\" to {}, \"{}\" to {}",
                         before->second.second, what.second, what.first,
                         shortest(before->second.first), part.name, shortest(value));
    }
    const RetryRule* rule = own_.retries ? nullptr : retries_of(part);
    if (rule == nullptr) return {};
    if (rule_ && *rule_ != *rule) {
      return fmt::format("clients try again in two ways: {}, and in \"{}\" {}", text_of(*rule_),
                         part.name, text_of(*rule));
    }
    rule_ = *rule;
    return {};
  }

 private:
  const Change& own_;
  const std::vector<std::string>& routes_;
  Settings settled_;
  std::map<Settings::key_type, std::pair<double, std::string>> said_;  // and by which scenario
  std::optional<RetryRule> rule_;
};

}  // namespace

Result<std::vector<Change>> combined_changes(const std::vector<const Scenario*>& parts, Change own,
                                             const std::vector<std::string>& routes) {
  Combining combining(own, routes);
  std::vector<Change> changes;
  for (const Scenario* part : parts) {
    if (std::string problem = combining.problem_with(*part); !problem.empty()) {
      return fail(ErrorKind::usage, std::move(problem),
                  "say it beside \"combine\", where it counts over both");
    }
    for (Change change : part->changes) {
      if (own.retries) change.retries.reset();
      changes.push_back(std::move(change));
    }
  }
  changes.push_back(std::move(own));
  return changes;
}

}  // namespace plimsoll
