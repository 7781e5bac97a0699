// How much work arrives, at the pace of a run's steps: what instances would be busy with if they
// served all of it. Requests that gave up have taken steps as well, so that this holds where what
// was answered says little.
#pragma once

#include "engine/run_record.h"

namespace plimsoll {

/// Requests per second: gaps between arrivals over their sum.
double offered_rps_of(const RequestTable& table);

/// Per second, of all requests that can be served.
struct ArrivingTokens {
  double prompts = 0;  ///< but for what caches had of them
  double answers = 0;  ///< that are decoded: not the first ones
};
ArrivingTokens arriving_tokens(const RequestTable& table, double offered_rps);

/// Instances that are busy all the time with what arrives.
struct ArrivingWork {
  double prompts = 0;  ///< but for what caches had of them
  double answers = 0;

  double all() const { return prompts + answers; }
};

/// `offered_rps`: requests per second. Zero where no step has shown what it takes. Where requests
/// give up, batches are small for want of those that live long enough: answers count as in full
/// ones.
ArrivingWork arriving_work(const RunRecord& record, double offered_rps);

/// The share of the requests that would not be answered in time by an instance that serves them
/// alone, if the longest that anybody waited for an answer or a first token is all the time there
/// is. 0 where nobody got either. `lone_decode_s`: a decode step of one request.
double share_too_slow_alone(const RunRecord& record, double lone_decode_s);

}  // namespace plimsoll
