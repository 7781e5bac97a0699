// Can this have been measured? A profile against what its GPU can do at most and what its model
// is. Whoever uses a profile asks first; `calibrate` refuses one that breaks physics.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/model.h"
#include "perf/instance_work.h"
#include "profile/profile.h"

namespace plimsoll {

/// `broken`: these are not times of this model on this GPU. `doubtful`: a user should know.
enum class Severity { broken, doubtful };

struct Finding {
  Severity severity = Severity::broken;
  std::string sentence;  ///< with the figures, without a final period
};

/// Steps that compute faster than the dense peak of the GPUs, or read faster than their memory.
/// The sentence names the worst of them.
std::vector<Finding> step_findings(const std::vector<MeasuredSteps>& steps,
                                   const InstanceWork& work);

/// Those, and: another model in its files, another number of parameters, weights of another width,
/// decode rows that were no decode, odd units. `work` is that of the model on the GPUs it names.
std::vector<Finding> profile_findings(const Profile& profile, const ModelConfig& model,
                                      const InstanceWork& work);

/// An error that lists what is broken, one line each; nothing if nothing is.
Result<void> refuse_broken(const std::vector<Finding>& findings, const std::string& file);

}  // namespace plimsoll
