#include "forecast/headroom_sheet.h"

#include <limits>

namespace plimsoll {

std::string_view name_of(Provenance provenance) {
  switch (provenance) {
    case Provenance::given:
      return "given";
    case Provenance::routes:
      return "routes";
    case Provenance::simulated:
      return "simulated";
    case Provenance::deployed:
      return "deployed";
    case Provenance::history:
      return "history";
  }
  return {};
}

std::optional<double> SheetRow::utilisation() const {
  if (!capacity || !forecast_p95) return std::nullopt;
  if (*capacity > 0) return *forecast_p95 / *capacity;
  return *forecast_p95 > 0 ? std::numeric_limits<double>::infinity() : 0;
}

std::optional<double> SheetRow::headroom() const {
  if (!capacity || !forecast_p95) return std::nullopt;
  return *capacity - *forecast_p95;
}

std::optional<Risk> SheetRow::risk() const {
  const auto used = utilisation();
  if (!used) return std::nullopt;
  return risk_of(resource, *used);
}

std::optional<Resource> binding_of(const std::vector<SheetRow>& rows) {
  std::optional<Resource> binding;
  double most = -1;
  for (const SheetRow& row : rows) {
    const auto used = row.utilisation();
    if (!used || *used <= most) continue;
    most = *used;
    binding = row.resource;
  }
  return binding;
}

}  // namespace plimsoll
