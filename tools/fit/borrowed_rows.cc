#include "fit/borrowed_rows.h"

#include <algorithm>

namespace plimsoll {

const std::vector<BorrowedRow>& borrowed_rows() {
  static const std::vector<BorrowedRow> all{
      {"hopper", "mxfp4", "hopper", "int4", {"launch_us"}, experts_family}};
  return all;
}

Family borrow(const BorrowedRow& row, Device* lender, Device* device) {
  const Family from = row.family(lender, row.from_key);
  Family to = row.family(device, row.key);
  for (std::size_t i = 0; i < to.parameters.size(); ++i) {
    const Parameter& p = to.parameters[i];
    if (std::find(row.own.begin(), row.own.end(), p.name) != row.own.end()) continue;
    p.of(*device) = from.parameters[i].of(*lender);
  }
  return to;
}

}  // namespace plimsoll
