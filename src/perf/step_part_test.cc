#include "perf/step_part.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/kernel_model.h"
#include "perf/operators/device.h"

namespace plimsoll {
namespace {

TEST(StepPart, add_up_to_the_step) {
  for (const char* name : {"qwen3-14b", "deepseek-v3"}) {
    Parallelism layout;
    layout.tp = 8;
    const ModelConfig model = find_model(name)->config;
    const Device usual = *device_of(*find_gpu("H200", SemanticsMode::vllm));
    const auto step_us = [&](const Device& device, const BatchShape& batch) {
      const auto made = make_kernel_model(model, device, layout, Sampling::top_p, Observer::engine);
      EXPECT_TRUE(made.has_value());
      return (*made)->step_us(batch);
    };
    BatchShape decodes;
    decodes.decode_requests = 32;
    decodes.decode_context = 32 * 3000;
    BatchShape prompt;
    prompt.add_prefill(2000, 0, 2000);
    for (const BatchShape& batch : {decodes, prompt}) {
      const double us = step_us(usual, batch);
      double longer = 0;
      for (const StepPart part : kStepParts) {
        Device slowed = usual;
        slow_down(part, 1.01, &slowed);
        const double more = step_us(slowed, batch) - us;
        EXPECT_GE(more, 0) << name_of(part);
        longer += more;
      }
      EXPECT_NEAR(longer / us, 0.01, 0.0005) << name;
    }
  }
}

}  // namespace
}  // namespace plimsoll
