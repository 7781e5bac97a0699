// Rows of a set of kernels that no table of its own decides: another row's numbers, but for those
// that whole runs decided (tools/fit-runs).
#pragma once

#include <string>
#include <vector>

#include "fit/family.h"

namespace plimsoll {

struct BorrowedRow {
  std::string kernels;
  std::string key;
  std::string from;  ///< kernels
  std::string from_key;
  std::vector<std::string> own;  ///< parameters that stay
  Family (*family)(Device*, const std::string&);
};

const std::vector<BorrowedRow>& borrowed_rows();

/// Fills the row of `device` from that of `lender`, which may be the same.
Family borrow(const BorrowedRow& row, Device* lender, Device* device);

}  // namespace plimsoll
