// The flags of the parameters that policies declare, as their rows have them.
#include "base/text.h"
#include "cli/flag_rows.h"
#include "setup/policies.h"

namespace plimsoll {
namespace {

Value value_of(const PolicyParameter& parameter, const PolicyKind& kind) {
  Value value;
  value.asks = true;
  value.set = [&](Options& options, std::string_view text,
                  Origin origin) -> std::optional<Refusal> {
    const auto number = read_number(text, parameter.range, parameter.is_whole);
    if (!number) return number.error();
    kind.parameters(options.run)[parameter.name].set(*number, origin);
    return std::nullopt;
  };
  const auto find = [&](const Options& options) -> const Setting<double>* {
    const ChosenParameters& chosen = kind.parameters_of(options.run);
    const auto found = chosen.find(parameter.name);
    return found == chosen.end() ? nullptr : &found->second;
  };
  value.origin = [find](const Options& options) {
    const Setting<double>* chosen = find(options);
    return chosen == nullptr ? Origin::usual : chosen->origin();
  };
  value.texts = [find](const Options& options) { return std::vector{shortest(*find(options))}; };
  value.kind = parameter.is_whole ? ValueKind::integer : ValueKind::number;
  value.default_text = shortest(parameter.usual);
  return value;
}

}  // namespace

void add_parameter_flags(const Rows& rows, std::string_view flag,
                         const std::vector<Condition>& conditions) {
  const PolicyKind& kind = policy_kind(flag);
  for (const PolicyRow& row : kind.rows) {
    for (const PolicyParameter& parameter : row.parameters) {
      std::vector<Condition> all = conditions;
      all.push_back({[&kind, &row](const RunSpec& run) { return kind.uses(run, row.name); },
                     "without " + std::string(flag) + " " + row.name});
      rows.add("--" + parameter.name, value_of(parameter, kind), parameter.unit, parameter.help, {},
               std::move(all));
    }
  }
}

}  // namespace plimsoll
