// One small run that both the product and the twin can make, and the comparison of the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/semantics.h"
#include "cluster/deployment.h"
#include "reference/linear_model.h"
#include "workload/request.h"

namespace plimsoll::reference {

/// The content that request number `row` alone has: the end of its prompt, then its answer.
constexpr std::uint64_t own_content_of(std::size_t row) { return 1000 + row; }

struct CaseRequest {
  std::int64_t arrival_us = 0;
  std::int32_t input_tokens = 1;
  std::int32_t output_tokens = 1;
  std::int32_t max_output_tokens = 0;
  SloClass slo_class = SloClass::standard;
  std::int64_t deadline_us = -1;  ///< negative: none
  /// Contents below 1000, or the own content of an earlier request: that one must have left when
  /// this one arrives.
  std::vector<PrefixSegment> prefix;
  bool other_model = false;
  std::int32_t session = -1;
};

/// How the product is driven. The result may not depend on it.
enum class Drive { at_once, by_time, by_requests };

struct Case {
  Semantics semantics = Semantics::blis();
  Deployment deployment;  ///< without its step-time model
  LinearModel model;
  std::vector<CaseRequest> requests;  ///< in order of arrival; the id is the position
  std::int64_t horizon_us = -1;       ///< negative: none
  Drive drive = Drive::at_once;
  std::int64_t drive_step_us = 1000;  ///< for by_time
  std::int64_t threads = 1;           ///< of the product
};

/// Runs both and lists every difference, one a line, times in nanoseconds; empty when equal.
std::string differences(const Case& scenario);

/// C++ statements that build the case from an empty one, leaving out what has its default value.
std::string to_code(const Case& scenario);
std::ostream& operator<<(std::ostream& out, const Case& scenario);

}  // namespace plimsoll::reference
