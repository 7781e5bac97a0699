// A profile of a model on a GPU, as SimFaaSInfer's files have it (docs/reference/measurements.md,
// "Profiles"): `fitted_profile.json`, measured prefill and decode steps, and beside it
// `metadata.json` and `model_memory.json`, which say what was measured. Read by `calibrate` and by
// planners, who check it against physics (physics.h) before they believe it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "perf/instance_work.h"
#include "perf/step_time_model.h"

namespace plimsoll {

enum class ProfilePhase { prefill, decode };

/// One measured point: `batch_size` requests that are alike.
struct ProfileRow {
  ProfilePhase phase = ProfilePhase::prefill;
  std::int64_t tokens = 0;      ///< of each prompt, or in the KV cache of each before the row began
  std::int64_t new_tokens = 1;  ///< that each request decodes, one step after the other
  std::int64_t batch_size = 1;
  double ms =
      0;  ///< of the whole row, all its steps: the median where the file has it, or the mean
};

/// The other content that goes by the name fitted_profile.json: coefficients of operators instead
/// of measured steps. Its program writes seconds per token and layer and reads them as
/// milliseconds; collectives are in ms per GB. Only what can be checked is kept.
struct OperatorProfile {
  double mlp_s = 0;
  double kv_mb_per_token = 0;
};

/// Empty texts and zeros are what the files do not say.
struct Profile {
  std::string path;              ///< of fitted_profile.json
  std::vector<ProfileRow> rows;  ///< in the order of the file; none in a profile of operators
  std::optional<OperatorProfile> operators;

  // metadata.json
  std::string model;
  std::string gpu;  ///< as the profiler calls it
  std::int64_t tp = 0;
  std::string date;
  std::string notes;

  // model_memory.json
  std::string memory_model;
  double parameters = 0;
  double kv_bytes_per_token = 0;
  std::int64_t memory_tp = 1;  ///< GPUs that share the model: the figures are those of one
  std::string dtype;           ///< "torch.float32"; metadata.json may say it, too
};

/// From fitted_profile.json, from the metadata.json that names it, or from the folder of both.
/// Errors of all three files are reported together.
Result<Profile> read_profile(const std::string& path);

/// The parts of it; each fills in what its file says.
Result<void> parse_fitted_profile(const std::string& text, const std::string& file, Profile* out);
Result<void> parse_profile_metadata(const std::string& text, const std::string& file, Profile* out);
Result<void> parse_model_memory(const std::string& text, const std::string& file, Profile* out);

// Steps of an engine that somebody timed: what a profile (profile.h) and telemetry (telemetry.h)
// amount to. Checked against physics (physics.h), fitted to by calibration/.

/// One step, or several in a row in which the same requests decode.
struct MeasuredSteps {
  std::string name;  ///< "prefill 512 x 8"
  BatchShape batch;  ///< of the first step
  std::int64_t steps = 1;
  double ms = 0;  ///< of all together
};

/// One for each row of a profile.
std::vector<MeasuredSteps> steps_of(const Profile& profile);

double predicted_ms(const MeasuredSteps& measured, const StepTimeModel& model);

/// The work that they had to do at least.
WorkDone work_of(const MeasuredSteps& measured);

}  // namespace plimsoll
