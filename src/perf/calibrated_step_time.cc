#include "perf/calibrated_step_time.h"

namespace plimsoll {

const std::vector<CorrectionTerm>& correction_terms() {
  static const std::vector<CorrectionTerm> terms{
      {"scale", &Correction::scale, "factor on the base model's steps"},
      {"step_us", &Correction::step_us, "us added to each step"},
      {"decode_us", &Correction::decode_us, "us a step per decoding request"},
      {"prefill_us", &Correction::prefill_us, "us a step per prompt token"},
      {"request_us", &Correction::request_us, "us of the client per request", true},
      {"prompt_token_us", &Correction::prompt_token_us, "us of the client per prompt token", true},
  };
  return terms;
}

Correction without_client(Correction correction) {
  const Correction none;
  for (const CorrectionTerm& term : correction_terms()) {
    if (term.of_client) correction.*term.field = none.*term.field;
  }
  return correction;
}

}  // namespace plimsoll
