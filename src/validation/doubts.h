// The facts that the source of a case does not say about the server and the run that it measured,
// and how far that may move what was measured from what is predicted, beside the error of the
// model. Most doubts have one direction: a setting that nobody states makes a server slower than
// its kernels would be, speculation that nobody marks makes it faster.
#pragma once

#include <string_view>
#include <vector>

#include "catalog/model.h"
#include "validation/case.h"

namespace plimsoll {

/// Half widths, as in ModelError: 1 is a factor of e.
struct Doubts {
  std::vector<std::string_view> names;
  std::vector<CaseAssumption> notes;  ///< which keys of the case leave what open
  double faster = 0;                  ///< of steps: they may be as much shorter,
  double slower = 0;                  ///< or longer
  double later = 0;                   ///< of first tokens, beside what their steps explain
};

Doubts doubts_of(const Case& measured, const ModelConfig& model);

}  // namespace plimsoll
