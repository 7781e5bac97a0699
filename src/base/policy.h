// A policy is one way to decide something: which instance gets a request, who is let in, whose turn
// it is. Policies of a kind stand in a table of rows, each with `name`, `help` (one line) and
// `parameters`; what else a row has is up to its kind. The flag, the key of a policy file, the
// help, `plimsoll list`, the origin of each value and the tests of all policies follow from the
// rows (setup/policies.h has the tables).
#pragma once

#include <algorithm>
#include <cassert>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/range.h"
#include "base/setting.h"

namespace plimsoll {

/// A number that a policy takes. Its name is that of its flag without the dashes, and no other
/// policy's parameter has it.
struct PolicyParameter {
  std::string name;
  double usual = 0;
  NumberRange range;
  std::string unit;  ///< in capitals, for the help: TOKENS, SHARE
  std::string help;  ///< one line
  bool is_whole = false;
};

/// The parameters that somebody chose, by name.
using ChosenParameters = std::map<std::string, Setting<double>, std::less<>>;

/// The part of a row that all tables have in common.
struct PolicyRow {
  std::string name;
  std::string help;
  std::vector<PolicyParameter> parameters;
};

class Parameters;

/// A row whose policy is made of its parameters and what else its kind needs; none: it needs none.
template <class Policy, class... Given>
struct MadeRow {
  std::string name;
  std::string help;  ///< one line
  std::vector<PolicyParameter> parameters;
  std::unique_ptr<Policy> (*make)(const Parameters&, Given...) = nullptr;
};

/// The parameters of one policy, as chosen, else as usual.
class Parameters {
 public:
  Parameters(const std::vector<PolicyParameter>& declared, const ChosenParameters& chosen) {
    for (const PolicyParameter& parameter : declared) {
      const auto found = chosen.find(parameter.name);
      values_[parameter.name] = found == chosen.end() ? parameter.usual : *found->second;
    }
  }

  /// The value of a parameter that the policy declares.
  double operator[](std::string_view name) const {
    const auto found = values_.find(name);
    assert(found != values_.end());
    return found->second;
  }

 private:
  std::map<std::string, double, std::less<>> values_;
};

/// `name` is that of a row.
template <class Row>
const Row& policy_of(const std::vector<Row>& table, std::string_view name) {
  const auto row = std::ranges::find(table, name, &Row::name);
  assert(row != table.end());
  return *row;
}

/// For `make` of a row: a T of what rows of this kind are given, or of nothing if it needs nothing.
template <class Policy, class T, class... Given>
std::unique_ptr<Policy> made(Given... given) {
  if constexpr (std::is_constructible_v<T, Given...>) {
    return std::make_unique<T>(given...);
  } else {
    return std::make_unique<T>();
  }
}

/// Returns what a row that has `make` makes of its parameters and what else its kind needs; none of
/// a row that leaves it out.
template <class Row, class... Others>
auto make_policy(const std::vector<Row>& table, std::string_view name,
                 const ChosenParameters& chosen, const Others&... others) {
  const Row& row = policy_of(table, name);
  using Made = decltype(row.make(Parameters({}, {}), others...));
  return row.make == nullptr ? Made() : row.make(Parameters(row.parameters, chosen), others...);
}

}  // namespace plimsoll
