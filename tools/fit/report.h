// What `fit` says of the rows of a set of kernels: how far they are off before and after the fit,
// and whether they are what is shipped, to standard error; the YAML, to standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fit/family.h"

namespace plimsoll {

/// How rows compare with the shipped ones.
struct RowTally {
  int as_shipped = 0;
  int differing = 0;
  std::vector<std::string> kept;  ///< by hand, with the reason
};

/// "latent_attention/bf16/bf16 decode"
std::string row_name(const Family& family);

/// Fits all to their observations, but for what whole runs decided. `kernels`: the shipped set that
/// the rows are compared with; empty = none.
void fit_rows(const std::vector<Family>& families, const std::string& kernels, Device* device,
              RowTally* tally);

/// Of a row that was put together from others, `how`.
void report_row(const Family& family, std::string_view how, const Device& shipped,
                const Device& made, RowTally* tally);

/// As in catalog/kernels/*.yaml. Families of a section stand together.
void print_rows(const std::vector<Family>& families, Device* device);

}  // namespace plimsoll
