#include "perf/latency_models.h"

#include "base/text.h"
#include "perf/blackbox.h"
#include "perf/operators/device.h"
#include "perf/roofline.h"
#include "perf/trained_physics.h"

namespace plimsoll {
namespace {

using Made = Result<StepTimePtr>;

Result<void> check_one_stage(const LatencyInputs& in, const char* name) {
  if (in.parallelism.pp == 1) return {};
  return fail(ErrorKind::usage,
              std::string("the ") + name + " latency model knows no pipeline parallelism",
              "use --latency-model kernel");
}

Result<void> check_no_speculation(const LatencyInputs& in, const char* name) {
  if (!in.speculation) return {};
  return fail(ErrorKind::usage,
              std::string("the ") + name + " latency model knows no speculative decoding",
              "use --latency-model kernel");
}

// A draft runs on the GPUs of a tensor-parallel group, or where the layers of the model do, without
// a sampler and a client of its own.
Made speculating(StepTimePtr target, const LatencyInputs& in, const Device& device) {
  StepTimePtr draft;
  if (in.speculation->draft) {
    Parallelism group;
    group.tp = in.parallelism.tp;
    if (in.speculation->draft_is_layer) group = in.parallelism;
    TRY_SET(draft, make_kernel_model(*in.speculation->draft, device, group, Sampling::greedy,
                                     Observer::engine));
  }
  return make_speculative(std::move(target), std::move(draft), *in.speculation);
}

Made kernel(const LatencyInputs& in) {
  if (in.coefficients) {
    return fail(
        ErrorKind::usage, "the kernel latency model takes no coefficients",
        "leave out --alpha-coeffs and --beta-coeffs, or choose trained-physics or blackbox");
  }
  TRY(device, device_of(in.gpu, in.engine));
  device.only_prompts = in.only_prompts;
  if (in.slower) slow_down(*in.slower, kSlower, &device);
  auto made = make_kernel_model(in.model, device, in.parallelism, in.sampling, in.observer);
  if (!made || !in.speculation) return made;
  return speculating(std::move(*made), in, device);
}

Made trained_physics(const LatencyInputs& in) {
  TRY_TO(check_one_stage(in, "trained-physics"));
  TRY_TO(check_no_speculation(in, "trained-physics"));
  TRY(fitted,
      in.coefficients ? Result<Coefficients>(*in.coefficients) : trained_physics_coefficients());
  return make_trained_physics(in.model, in.gpu, in.parallelism, in.shapes, fitted);
}

Made roofline(const LatencyInputs& in) {
  TRY_TO(check_one_stage(in, "roofline"));
  TRY_TO(check_no_speculation(in, "roofline"));
  if (in.coefficients) {
    return fail(
        ErrorKind::usage, "the roofline latency model takes no coefficients",
        "leave out --alpha-coeffs and --beta-coeffs, or choose trained-physics or blackbox");
  }
  if (in.shapes == ModelShapes::exact) {
    return make_shaped_roofline(in.model, in.gpu, in.parallelism);
  }
  return make_roofline(in.model, in.gpu, in.parallelism);
}

Made blackbox(const LatencyInputs& in) {
  TRY_TO(check_one_stage(in, "blackbox"));
  TRY_TO(check_no_speculation(in, "blackbox"));
  if (in.parallelism.dp > 1) {
    return fail(ErrorKind::usage, "the blackbox latency model knows no data parallelism",
                "use --latency-model trained-physics");
  }
  TRY(fitted, in.coefficients ? Result<Coefficients>(*in.coefficients)
                              : find_blackbox_row(in.model.id, in.gpu.name, in.parallelism.tp));
  return make_blackbox(fitted);
}

}  // namespace

const std::vector<LatencyModel>& latency_models() {
  static const std::vector<LatencyModel> models{
      {"kernel", "each operator at the efficiency measured for its kernels", kernel},
      {"trained-physics", "physical terms with factors fitted to measured runs", trained_physics},
      {"roofline", "peak arithmetic or memory bandwidth, whichever limits; nothing fitted",
       roofline},
      {"blackbox", "linear in prefill and decode tokens, fitted per model, GPU and TP", blackbox},
  };
  return models;
}

Result<StepTimePtr> make_latency_model(std::string_view name, const LatencyInputs& inputs) {
  std::vector<std::string> names;
  for (const LatencyModel& model : latency_models()) {
    if (model.name == name) return model.make(inputs);
    names.push_back(model.name);
  }
  return fail(ErrorKind::usage, "unknown latency model \"" + std::string(name) + "\"",
              suggestion(name, names));
}

}  // namespace plimsoll
