// What calibration adds to a latency model: a factor on its steps, a time per step, per decoding
// request and per prompt token, and the client's overhead of a request. Fitted to measurements by
// calibration/fit.h, kept in a calibration file (calibration_file.h), applied by
// calibrated_step_time.h.
#pragma once

#include <string_view>
#include <vector>

namespace plimsoll {

/// step = scale * base(batch) + step_us + decode_us * decoding requests + prefill_us * prompt
/// tokens; a request waits request_us + prompt_token_us * prompt tokens more before it is queued.
struct Correction {
  double scale = 1;
  double step_us = 0;
  double decode_us = 0;
  double prefill_us = 0;
  double request_us = 0;
  double prompt_token_us = 0;
};

struct CorrectionTerm {
  std::string_view name;
  double Correction::*field;
  std::string_view meaning;
  bool of_client = false;  ///< only a client's clock sees it
};

/// In the order in which files and reports have them; the first is the scale.
const std::vector<CorrectionTerm>& correction_terms();

/// Of the same engine seen from within.
Correction without_client(Correction correction);

}  // namespace plimsoll
