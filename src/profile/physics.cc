#include "profile/physics.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

// Clocks boost, data sheets are rounded; python/plimsoll/profile/check.py allows as much.
constexpr double kAbovePeak = 1.1;
// Vocabularies are padded, biases left out, "7B" is a name.
constexpr double kParametersOff = 0.1;
constexpr double kKvOff = 2;
// A step this much slower than both limits is in another unit, or its model is tiny.
constexpr double kIdle = 0.002;
// A decode reads the cache of its context and computes one token: it may not take nearly as long as
// computing the context, once that takes longer than the least step.
constexpr double kLikePrefill = 0.8;
constexpr double kBeyondLeast = 1.5;

double per_second(double amount, const MeasuredSteps& step) { return amount / (step.ms / 1000); }

double flop_share(const MeasuredSteps& step, const InstanceWork& work) {
  return per_second(flops_of(work, work_of(step)), step) / work.peak_flops;
}

double byte_share(const MeasuredSteps& step, const InstanceWork& work) {
  return per_second(bytes_of(work, work_of(step)), step) / work.peak_bytes;
}

std::string others(std::size_t above) {
  if (above < 2) return "";
  return "; the same holds for " + counted(static_cast<std::int64_t>(above) - 1, "other");
}

// The worst of the steps whose share is above what may be.
void add_if_above_peak(const std::vector<MeasuredSteps>& steps, const InstanceWork& work,
                       double (*share)(const MeasuredSteps&, const InstanceWork&), double peak,
                       const std::string& unit, const char* which, std::vector<Finding>* out) {
  const MeasuredSteps* worst = nullptr;
  std::size_t above = 0;
  for (const MeasuredSteps& step : steps) {
    if (!(share(step, work) > kAbovePeak)) continue;
    ++above;
    if (worst == nullptr || share(step, work) > share(*worst, work)) worst = &step;
  }
  if (worst == nullptr) return;
  const double times = share(*worst, work);
  out->push_back({Severity::broken, worst->name + " in " + three_digits(worst->ms) +
                                        " ms implies " + three_digits(times * peak) + " " + unit +
                                        ", " + three_digits(times) + " times " + which + " of " +
                                        three_digits(peak) + others(above)});
}

void add_if_idle(const std::vector<MeasuredSteps>& steps, const InstanceWork& work,
                 std::vector<Finding>* out) {
  const auto busy = [&](const MeasuredSteps& step) {
    return std::max(flop_share(step, work), byte_share(step, work));
  };
  if (steps.empty()) return;
  const auto best = std::ranges::max_element(
      steps, [&](const MeasuredSteps& a, const MeasuredSteps& b) { return busy(a) < busy(b); });
  if (busy(*best) > kIdle) return;
  out->push_back({Severity::doubtful, "at its best (" + best->name + ") the GPU reaches " +
                                          percent(busy(*best)) +
                                          " of its peak: are the times milliseconds?"});
}

std::string last_part(const std::string& id) { return to_lower(id.substr(id.rfind('/') + 1)); }

std::string millions(double count) { return three_digits(count / 1e6) + " million"; }

double bytes_of_dtype(const std::string& dtype) {
  const std::string name = last_part(dtype.substr(dtype.rfind('.') + 1));
  if (name == "float32" || name == "fp32") return 4;
  if (name == "float64" || name == "fp64") return 8;
  return 0;  // no wider than what models are served in
}

double kv_bytes_per_token(const InstanceWork& work) {
  return total_of(work.contexts, &ContextWork::bytes_per_kv_token);
}

void add_kv(double found, const InstanceWork& work, std::vector<Finding>* out) {
  const double needed = kv_bytes_per_token(work);
  if (!(found > 0) || !(needed > 0)) return;
  if (found < kKvOff * needed && needed < kKvOff * found) return;
  out->push_back({Severity::doubtful, three_digits(found) +
                                          " bytes of KV cache per token, where the model keeps " +
                                          three_digits(needed)});
}

void add_model(const Profile& profile, const ModelConfig& model, const InstanceWork& work,
               std::vector<Finding>* out) {
  const std::string& named = profile.memory_model;
  if (!named.empty() && !profile.model.empty() && last_part(named) != last_part(profile.model)) {
    out->push_back({Severity::broken,
                    "model_memory.json is for " + named + ", metadata.json for " + profile.model});
  }
  if (const auto known = find_model(profile.model);
      known && known->config.layers_by_kind != model.layers_by_kind) {
    out->push_back({Severity::broken,
                    "metadata.json is for " + profile.model + ", the deployment for " + model.id});
  }
  const double parameters = count_parameters(model).total;
  // The figures of one of several GPUs say little of the whole.
  const bool whole = profile.memory_tp == 1;
  if (whole && profile.parameters > 0 &&
      std::abs(profile.parameters - parameters) > kParametersOff * parameters) {
    out->push_back({Severity::broken, "model_memory.json counts " + millions(profile.parameters) +
                                          " parameters, " + model.id + " has " +
                                          millions(parameters)});
  }
  const double served = std::max(2.0, model.compute_bytes);
  if (bytes_of_dtype(profile.dtype) > served) {
    out->push_back({Severity::broken, "measured in " + profile.dtype + ", served in " +
                                          three_digits(8 * served) +
                                          " bits: these are the times of other kernels"});
  }
  if (whole) add_kv(profile.kv_bytes_per_token, work, out);
}

// A "decode" that computes its whole context again.
void add_like_prefill(const Profile& profile, std::vector<Finding>* out) {
  double least = HUGE_VAL;
  for (const ProfileRow& row : profile.rows) {
    if (row.phase == ProfilePhase::prefill) least = std::min(least, row.ms);
  }
  for (const ProfileRow& decode : profile.rows) {
    if (decode.phase != ProfilePhase::decode || decode.new_tokens > 1) continue;
    for (const ProfileRow& prefill : profile.rows) {
      const bool alike = prefill.phase == ProfilePhase::prefill &&
                         prefill.tokens == decode.tokens && prefill.batch_size == decode.batch_size;
      if (!alike || prefill.ms < kBeyondLeast * least) continue;
      if (decode.ms < kLikePrefill * prefill.ms) continue;
      out->push_back(
          {Severity::broken,
           "decode scales like prefill: one token after " + std::to_string(decode.tokens) + " x " +
               std::to_string(decode.batch_size) + " takes " + three_digits(decode.ms) +
               " ms, all of them " + three_digits(prefill.ms) + " ms: it ran without a KV cache"});
      return;
    }
  }
}

// Seconds that everybody takes for milliseconds: a token's MLP of one layer then beats the peak.
void add_operators(const OperatorProfile& operators, const ModelConfig& model,
                   const InstanceWork& work, std::vector<Finding>* out) {
  double flops = 0;
  double layers = 0;
  for (const LayerGroup& group : model.layers_by_kind) {
    const auto count = static_cast<double>(group.count);
    flops += 2 * count * common_mlp_parameters(group.layer.mlp, static_cast<double>(model.hidden));
    layers += count;
  }
  if (layers > 0 && operators.mlp_s > 0) {
    const double rate = flops / layers / operators.mlp_s;
    const std::string at = three_digits(rate / 1e12) + " TFLOP/s";
    const std::string peak = three_digits(work.peak_flops / 1e12);
    const double most = kAbovePeak * work.peak_flops;
    if (rate > most) {
      out->push_back({Severity::broken, "operators.mlp implies " + at + " on a peak of " + peak +
                                            " even if it is in seconds"});
    } else if (1000 * rate > most) {
      out->push_back({Severity::doubtful, "operators.mlp is in seconds (" + at +
                                              "), not in milliseconds: that would be above the "
                                              "peak of " +
                                              peak});
    }
  }
  add_kv(1e6 * operators.kv_mb_per_token, work, out);
}

}  // namespace

std::vector<Finding> step_findings(const std::vector<MeasuredSteps>& steps,
                                   const InstanceWork& work) {
  std::vector<Finding> out;
  add_if_above_peak(steps, work, flop_share, work.peak_flops / 1e12, "TFLOP/s", "the dense peak",
                    &out);
  add_if_above_peak(steps, work, byte_share, work.peak_bytes / 1e9, "GB/s", "the memory bandwidth",
                    &out);
  add_if_idle(steps, work, &out);
  return out;
}

std::vector<Finding> profile_findings(const Profile& profile, const ModelConfig& model,
                                      const InstanceWork& work) {
  std::vector<Finding> out = step_findings(steps_of(profile), work);
  add_like_prefill(profile, &out);
  add_model(profile, model, work, &out);
  if (profile.operators) add_operators(*profile.operators, model, work, &out);
  return out;
}

Result<void> refuse_broken(const std::vector<Finding>& findings, const std::string& file) {
  Error error{ErrorKind::spec, {}};
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::broken) continue;
    error.diagnostics.push_back({file, 0, 0, finding.sentence, {}, {}});
  }
  if (error.diagnostics.empty()) return {};
  error.diagnostics.back().hint =
      "measure again on this GPU, or name the model and GPU that were measured";
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace plimsoll
