#include "validation/published_splits.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"

namespace plimsoll {
namespace {

/// The workers of a published recipe, as tables of results have them.
struct Recipe {
  std::int64_t prefills;     ///< workers that compute prompts
  std::int64_t decodes;      ///< workers that answer
  std::int64_t gpus;         ///< of a worker that answers
  std::int64_t ranks;        ///< of a worker that answers
  std::int64_t concurrency;  ///< the largest it was measured with
  std::int64_t places;       ///< requests that a rank answers at a time
};

/// Recipes for the same GPU, weights and lengths, whose workers for prompts have the same limits:
/// of a rank, under SGLang of a worker.
struct Family {
  Engine engine;
  std::string_view gpu;
  std::string_view weights;  ///< empty: any
  std::string_view version;  ///< its beginning
  std::int64_t prompt;       ///< tokens of the longest; 0: any
  std::int64_t answer;       ///< tokens of the longest
  PromptLimits prompts;
  std::int64_t gateways;
  std::span<const Recipe> recipes;
  std::string_view since = {};    ///< the first day of its measurements; empty: any
  std::int64_t decode_ranks = 0;  ///< of a worker, where tables of results are wrong; else 0
};

// .github/configs/nvidia-master.yaml of SemiAnalysisAI/InferenceX (Apache-2.0) at 0004cf5f names
// the recipe of each concurrency; recipes/ of ishandhanani/srt-slurm, of its forks and of
// NVIDIA/srt-slurm (Apache-2.0) have the numbers. Before 2026: InferenceMAX/InferenceMAX at
// 525079ad and scripts of ai-dynamo/dynamo (Apache-2.0). Recipes with drafts are left out. Where
// the numbers of one were not at hand, its places are those of its name; what workers on B300 with
// NVFP4 take of long prompts is as on B200.
constexpr std::array kH100Fp8{
    Recipe{1, 3, 16, 1, 6, 1},     Recipe{1, 3, 16, 1, 9, 2},      Recipe{1, 3, 16, 1, 30, 8},
    Recipe{1, 3, 16, 1, 60, 16},   Recipe{1, 3, 16, 16, 231, 4},   Recipe{1, 3, 16, 16, 462, 8},
    Recipe{1, 3, 16, 16, 924, 16}, Recipe{1, 3, 16, 16, 1845, 32}, Recipe{2, 1, 16, 16, 4916, 256}};
constexpr std::array kH100Fp8LongPrompts{Recipe{1, 2, 16, 1, 154, 64}, Recipe{1, 3, 16, 1, 6, 1},
                                         Recipe{1, 3, 16, 1, 9, 2}, Recipe{1, 3, 16, 1, 30, 8},
                                         Recipe{2, 1, 16, 16, 308, 16}};
constexpr std::array kH200Fp8{Recipe{1, 6, 8, 8, 1536, 512}, Recipe{1, 9, 8, 1, 11, 1},
                              Recipe{1, 9, 8, 1, 576, 256}, Recipe{1, 9, 8, 8, 1152, 512},
                              Recipe{2, 7, 8, 8, 3584, 512}};
constexpr std::array kH200Fp8LongPrompts{
    Recipe{1, 1, 8, 8, 128, 256}, Recipe{1, 3, 8, 1, 48, 32},   Recipe{1, 6, 8, 1, 48, 16},
    Recipe{1, 7, 8, 1, 9, 1},     Recipe{1, 7, 8, 1, 28, 32},   Recipe{2, 3, 8, 8, 192, 128},
    Recipe{2, 5, 8, 1, 160, 128}, Recipe{3, 1, 8, 8, 512, 512}, Recipe{5, 3, 8, 8, 768, 256}};
constexpr std::array kB200Nvfp4{Recipe{1, 1, 8, 8, 4096, 512}, Recipe{1, 2, 8, 8, 2192, 128},
                                Recipe{1, 5, 8, 1, 6, 1},      Recipe{1, 5, 8, 1, 180, 32},
                                Recipe{1, 5, 8, 8, 1365, 32},  Recipe{1, 6, 8, 1, 450, 64}};
constexpr std::array kB200Nvfp4LongPrompts{
    Recipe{1, 5, 8, 1, 6, 1},      Recipe{1, 5, 8, 1, 100, 16}, Recipe{2, 5, 8, 1, 370, 64},
    Recipe{4, 1, 8, 8, 1606, 192}, Recipe{4, 3, 8, 8, 837, 32}, Recipe{7, 2, 8, 8, 2222, 128}};
constexpr std::array kB200Fp8{Recipe{1, 1, 8, 8, 4096, 512}, Recipe{1, 3, 8, 1, 4, 1},
                              Recipe{1, 3, 8, 1, 32, 12},    Recipe{1, 3, 8, 1, 128, 48},
                              Recipe{1, 5, 8, 8, 1920, 48},  Recipe{2, 5, 8, 8, 5152, 128}};
constexpr std::array kB200Fp8LongPrompts{
    Recipe{1, 1, 8, 1, 1, 1},    Recipe{1, 1, 8, 8, 128, 128}, Recipe{1, 1, 8, 8, 256, 256},
    Recipe{1, 2, 8, 8, 128, 64}, Recipe{1, 4, 8, 1, 32, 8},    Recipe{1, 4, 8, 1, 128, 32},
    Recipe{1, 6, 8, 1, 96, 16},  Recipe{2, 1, 8, 8, 640, 640}};
constexpr std::array kB300Nvfp4{Recipe{1, 2, 8, 8, 1176, 64},  Recipe{1, 4, 8, 1, 6, 1},
                                Recipe{1, 5, 4, 1, 25, 4},     Recipe{1, 5, 8, 1, 395, 64},
                                Recipe{2, 1, 8, 8, 4405, 512}, Recipe{3, 1, 8, 8, 8192, 1024},
                                Recipe{3, 2, 8, 8, 4611, 256}};
constexpr std::array kB300Nvfp4LongPrompts{
    Recipe{1, 3, 4, 1, 105, 32},  Recipe{1, 3, 8, 1, 4, 1},    Recipe{1, 3, 8, 1, 63, 16},
    Recipe{1, 4, 4, 1, 12, 2},    Recipe{5, 2, 8, 8, 589, 32}, Recipe{6, 1, 8, 8, 1093, 128},
    Recipe{8, 1, 8, 8, 2048, 256}};
constexpr std::array kB300Fp8{Recipe{1, 1, 8, 8, 2112, 256}, Recipe{1, 2, 8, 8, 3072, 128},
                              Recipe{1, 3, 8, 8, 1280, 48},  Recipe{1, 8, 8, 1, 10, 1},
                              Recipe{1, 8, 8, 1, 384, 64},   Recipe{2, 1, 8, 8, 16384, 1024}};
constexpr std::array kB300Fp8LongPrompts{
    Recipe{1, 4, 8, 1, 64, 16},   Recipe{1, 8, 8, 1, 10, 1},   Recipe{2, 1, 8, 8, 256, 32},
    Recipe{3, 1, 8, 8, 512, 64},  Recipe{3, 5, 8, 1, 256, 64}, Recipe{5, 1, 8, 8, 1075, 128},
    Recipe{7, 1, 8, 8, 3072, 384}};
constexpr std::array kGb200Nvfp4Early{Recipe{1, 1, 8, 8, 4300, 512}, Recipe{1, 1, 16, 16, 1075, 64},
                                      Recipe{1, 1, 32, 32, 1075, 32}, Recipe{1, 4, 8, 1, 564, 128},
                                      Recipe{2, 1, 16, 16, 4300, 256}};
constexpr std::array kGb200Nvfp4LongPromptsEarly{
    Recipe{1, 3, 8, 1, 102, 32}, Recipe{4, 1, 32, 32, 538, 16}, Recipe{5, 1, 8, 8, 2150, 256},
    Recipe{6, 1, 16, 16, 1075, 64}, Recipe{8, 1, 16, 16, 2150, 128}};
constexpr std::array kGb200Nvfp4{Recipe{1, 1, 8, 8, 4301, 512}, Recipe{1, 1, 32, 32, 666, 16},
                                 Recipe{1, 2, 4, 4, 6144, 768}, Recipe{1, 4, 8, 1, 5, 1},
                                 Recipe{1, 4, 8, 1, 192, 32},   Recipe{2, 1, 16, 16, 4301, 256},
                                 Recipe{2, 1, 32, 32, 2253, 64}};
constexpr std::array kGb200Nvfp4LongPrompts{
    Recipe{1, 4, 8, 1, 5, 1},        Recipe{1, 4, 8, 1, 76, 16},
    Recipe{2, 1, 32, 32, 333, 8},    Recipe{7, 1, 32, 32, 1229, 32},
    Recipe{8, 1, 16, 16, 2253, 128}, Recipe{10, 1, 16, 16, 4096, 256}};
constexpr std::array kGb200Nvfp4LongAnswers{
    Recipe{1, 1, 32, 32, 563, 16},   Recipe{1, 1, 32, 32, 2048, 64},
    Recipe{1, 1, 32, 32, 4096, 128}, Recipe{1, 1, 32, 32, 8192, 256},
    Recipe{1, 7, 8, 1, 7, 1},        Recipe{1, 15, 4, 1, 60, 4},
    Recipe{1, 15, 4, 1, 135, 8}};
constexpr std::array kGb200Fp8{Recipe{1, 1, 8, 8, 4301, 512},   Recipe{1, 1, 8, 8, 6144, 768},
                               Recipe{1, 1, 16, 16, 2151, 128}, Recipe{1, 1, 32, 32, 256, 8},
                               Recipe{1, 1, 32, 32, 1127, 32},  Recipe{1, 3, 8, 1, 3, 1},
                               Recipe{1, 3, 8, 1, 27, 8}};
constexpr std::array kGb200Fp8LongPrompts{
    Recipe{1, 3, 8, 1, 6, 1},      Recipe{1, 3, 8, 1, 18, 4},     Recipe{1, 3, 8, 1, 63, 16},
    Recipe{2, 1, 32, 32, 333, 8},  Recipe{3, 1, 16, 16, 615, 32}, Recipe{4, 1, 32, 32, 666, 16},
    Recipe{5, 1, 16, 16, 1229, 64}};
constexpr std::array kGb200Fp8LongAnswers{
    Recipe{1, 1, 32, 32, 564, 16}, Recipe{1, 1, 32, 32, 2048, 64}, Recipe{1, 2, 16, 16, 8192, 256},
    Recipe{1, 4, 8, 1, 4, 1}, Recipe{1, 4, 8, 1, 36, 8}};
constexpr std::array kGb300Nvfp4{Recipe{1, 4, 8, 1, 5, 1},        Recipe{1, 4, 8, 1, 192, 32},
                                 Recipe{2, 1, 8, 8, 8192, 1024},  Recipe{2, 1, 32, 32, 1229, 32},
                                 Recipe{3, 1, 16, 16, 4301, 256}, Recipe{3, 1, 32, 32, 2253, 64}};
constexpr std::array kGb300Nvfp4LongPrompts{
    Recipe{1, 3, 8, 1, 72, 16},     Recipe{1, 4, 8, 1, 5, 1},        Recipe{1, 4, 8, 1, 12, 2},
    Recipe{1, 5, 4, 1, 30, 4},      Recipe{7, 1, 32, 32, 666, 16},   Recipe{9, 1, 16, 16, 1229, 64},
    Recipe{11, 3, 4, 4, 3228, 256}, Recipe{14, 1, 16, 16, 2253, 128}};
constexpr std::array kGb300Nvfp4LongAnswers{
    Recipe{1, 1, 32, 32, 1024, 32},  Recipe{1, 1, 32, 32, 4096, 128},
    Recipe{1, 1, 32, 32, 8192, 256}, Recipe{1, 7, 8, 1, 7, 1},
    Recipe{1, 7, 8, 1, 245, 32},     Recipe{1, 15, 4, 1, 60, 4}};
constexpr std::array kGb300Fp8{Recipe{1, 4, 8, 1, 4, 1},       Recipe{1, 4, 8, 1, 24, 4},
                               Recipe{1, 4, 8, 1, 84, 16},     Recipe{2, 1, 16, 16, 2253, 128},
                               Recipe{2, 1, 32, 32, 1229, 32}, Recipe{3, 2, 8, 8, 8602, 512},
                               Recipe{3, 2, 8, 8, 12288, 768}};
constexpr std::array kGb300Fp8LongPrompts{
    Recipe{1, 4, 8, 1, 4, 1},      Recipe{1, 4, 8, 1, 24, 4},     Recipe{1, 4, 8, 1, 36, 8},
    Recipe{4, 1, 16, 16, 666, 32}, Recipe{6, 1, 32, 32, 512, 16}, Recipe{7, 1, 8, 8, 2151, 256},
    Recipe{7, 1, 16, 16, 1229, 64}};
constexpr std::array kGb300Fp8LongAnswers{
    Recipe{1, 1, 32, 32, 282, 8},    Recipe{1, 1, 32, 32, 1024, 32},
    Recipe{1, 2, 16, 16, 4096, 128}, Recipe{1, 2, 16, 16, 8192, 256},
    Recipe{1, 4, 8, 1, 4, 1},        Recipe{1, 4, 8, 1, 36, 8}};

// Of SGLang, whose recipes state limits of a worker: its ranks share them. Of GB200, prompts at a
// time are as many as the KV cache that a recipe asks for has room for.
constexpr std::array kSglangB200Nvfp4{Recipe{1, 5, 8, 1, 128, 512}, Recipe{1, 6, 8, 1, 256, 512},
                                      Recipe{1, 1, 8, 8, 512, 128}, Recipe{1, 2, 8, 8, 512, 64},
                                      Recipe{1, 1, 8, 1, 128, 512}, Recipe{2, 5, 8, 1, 128, 512}};
constexpr std::array kSglangB200Nvfp4Many{Recipe{7, 2, 8, 8, 2048, 256}};
constexpr std::array kSglangB200Fp8{Recipe{1, 1, 8, 1, 512, 512},  Recipe{1, 3, 8, 1, 256, 512},
                                    Recipe{1, 4, 8, 1, 512, 512},  Recipe{1, 6, 8, 1, 32, 512},
                                    Recipe{1, 1, 8, 8, 1024, 128}, Recipe{2, 1, 8, 8, 1024, 128},
                                    Recipe{1, 5, 8, 8, 4096, 128}, Recipe{2, 5, 8, 8, 4096, 128}};
constexpr std::array kSglangB200Fp8March{Recipe{1, 4, 8, 1, 128, 32}, Recipe{1, 6, 8, 1, 128, 22},
                                         Recipe{1, 1, 8, 8, 288, 32}, Recipe{2, 1, 8, 8, 512, 64},
                                         Recipe{3, 1, 8, 8, 1024, 128}};
constexpr std::array kSglangGb200Slow{Recipe{1, 1, 4, 1, 128, 128}, Recipe{1, 1, 8, 1, 128, 512},
                                      Recipe{1, 2, 4, 1, 128, 512}, Recipe{1, 4, 4, 1, 128, 512}};
constexpr std::array kSglangGb200SlowWithRanks{
    Recipe{1, 2, 4, 4, 128, 512}, Recipe{1, 4, 4, 4, 128, 512}, Recipe{1, 1, 4, 4, 128, 512}};
constexpr std::array kSglangGb200Fp8Wide{
    Recipe{2, 1, 32, 32, 6144, 1406}, Recipe{3, 1, 48, 48, 4096, 937},
    Recipe{1, 1, 8, 8, 7680, 640}, Recipe{5, 1, 32, 32, 6144, 256},
    Recipe{6, 1, 24, 24, 6144, 341}};
constexpr std::array kSglangGb200Nvfp4Wide{Recipe{4, 1, 32, 32, 15000, 2112},
                                           Recipe{4, 1, 48, 48, 8192, 1408}};
constexpr std::array kSglangGb200Nvfp4WideLongPrompts{Recipe{6, 1, 48, 48, 4096, 341},
                                                      Recipe{10, 1, 32, 32, 8192, 512}};
constexpr std::array kSglangH200{Recipe{1, 9, 8, 1, 256, 256}, Recipe{1, 6, 8, 1, 2048, 512}};
constexpr std::array kSglangH200WithRanks{Recipe{1, 6, 8, 8, 2048, 64}};
constexpr std::array kSglangH200LongPrompts{Recipe{1, 7, 8, 1, 8, 8}, Recipe{1, 6, 8, 1, 16, 16},
                                            Recipe{1, 3, 8, 1, 32, 32},
                                            Recipe{2, 3, 8, 1, 128, 128}};
constexpr std::array kSglangH200LongPromptsWithRanks{Recipe{1, 1, 8, 8, 256, 32}};

// clang-format off
constexpr Family kFamilies[] = {
    {Engine::trtllm, "H100", "fp8", "0.8.", 1024, 1024, {2, 2048}, 1, kH100Fp8},
    {Engine::trtllm, "H100", "fp8", "0.8.", 8192, 1024, {1, 8224}, 1, kH100Fp8LongPrompts},
    {Engine::trtllm, "H200", "fp8", "0.8.", 1024, 1024, {8, 8192, 8}, 1, kH200Fp8},
    {Engine::trtllm, "H200", "fp8", "0.8.", 8192, 1024, {2, 16640, 1}, 1, kH200Fp8LongPrompts},
    {Engine::trtllm, "B200", "nvfp4", "0.8.", 1024, 1024, {8, 10240}, 10, kB200Nvfp4},
    {Engine::trtllm, "B200", "nvfp4", "0.8.", 8192, 1024, {2, 16896}, 10, kB200Nvfp4LongPrompts},
    {Engine::trtllm, "B200", "fp8", "0.8.", 1024, 1024, {16, 16384}, 1, kB200Fp8},
    {Engine::trtllm, "B200", "fp8", "0.8.", 8192, 1024, {1, 8320, 0, true}, 1, kB200Fp8LongPrompts},
    {Engine::trtllm, "B300", "nvfp4", "0.8.", 1024, 1024, {8, 10240}, 1, kB300Nvfp4},
    {Engine::trtllm, "B300", "nvfp4", "0.8.", 8192, 1024, {2, 16896}, 1, kB300Nvfp4LongPrompts},
    {Engine::trtllm, "B300", "fp8", "0.8.", 1024, 1024, {8, 8320}, 1, kB300Fp8},
    {Engine::trtllm, "B300", "fp8", "0.8.", 8192, 1024, {8, 8320}, 1, kB300Fp8LongPrompts},
    {Engine::trtllm, "GB200", "nvfp4", "0.5.", 1024, 1024, {4, 4608}, 1, kGb200Nvfp4Early},
    {Engine::trtllm, "GB200", "nvfp4", "0.5.", 8192, 1024, {1, 8448}, 1, kGb200Nvfp4LongPromptsEarly},
    {Engine::trtllm, "GB200", "nvfp4", "0.8.", 1024, 1024, {16, 16384}, 10, kGb200Nvfp4},
    {Engine::trtllm, "GB200", "nvfp4", "0.8.", 8192, 1024, {2, 16640}, 10, kGb200Nvfp4LongPrompts},
    {Engine::trtllm, "GB200", "nvfp4", "0.8.", 1024, 8192, {16, 16384}, 10, kGb200Nvfp4LongAnswers},
    {Engine::trtllm, "GB200", "fp8", "0.8.", 1024, 1024, {16, 16384}, 10, kGb200Fp8},
    {Engine::trtllm, "GB200", "fp8", "0.8.", 8192, 1024, {2, 16384}, 10, kGb200Fp8LongPrompts},
    {Engine::trtllm, "GB200", "fp8", "0.8.", 1024, 8192, {16, 16384}, 10, kGb200Fp8LongAnswers},
    {Engine::trtllm, "GB300", "nvfp4", "0.8.", 1024, 1024, {16, 16384}, 1, kGb300Nvfp4},
    {Engine::trtllm, "GB300", "nvfp4", "0.8.", 8192, 1024, {2, 16640}, 1, kGb300Nvfp4LongPrompts},
    {Engine::trtllm, "GB300", "nvfp4", "0.8.", 1024, 8192, {16, 16384}, 1, kGb300Nvfp4LongAnswers},
    {Engine::trtllm, "GB300", "fp8", "0.8.", 1024, 1024, {16, 16384}, 1, kGb300Fp8},
    {Engine::trtllm, "GB300", "fp8", "0.8.", 8192, 1024, {2, 16384}, 1, kGb300Fp8LongPrompts},
    {Engine::trtllm, "GB300", "fp8", "0.8.", 1024, 8192, {16, 16384}, 1, kGb300Fp8LongAnswers},
    {Engine::sglang, "B200", "nvfp4", "0.5.8", 0, 1024, {512, 32768}, 1, kSglangB200Nvfp4},
    {Engine::sglang, "B200", "nvfp4", "0.5.8", 8192, 1024, {1024, 65536}, 1, kSglangB200Nvfp4Many},
    {Engine::sglang, "B200", "fp8", "0.5.8", 8192, 1024, {8, 65536, 0, true}, 10, kSglangB200Fp8March, "2026-03"},
    {Engine::sglang, "B200", "fp8", "0.5.8", 0, 1024, {1024, 32768}, 1, kSglangB200Fp8},
    {Engine::sglang, "GB200", "", "0.5.8", 1024, 1024, {8, 8192}, 10, kSglangGb200Slow},
    {Engine::sglang, "GB200", "", "0.5.8", 8192, 1024, {4, 16384}, 10, kSglangGb200Slow},
    {Engine::sglang, "GB200", "", "0.5.5", 1024, 1024, {8, 8192, 1}, 10, kSglangGb200SlowWithRanks, "", 1},
    {Engine::sglang, "GB200", "", "0.5.5", 8192, 1024, {4, 16384, 1}, 10, kSglangGb200SlowWithRanks, "", 1},
    {Engine::sglang, "GB200", "fp8", "0.5.", 0, 1024, {8192, 131072}, 10, kSglangGb200Fp8Wide},
    {Engine::sglang, "GB200", "nvfp4", "0.5.", 1024, 1024, {568, 65536}, 10, kSglangGb200Nvfp4Wide},
    {Engine::sglang, "GB200", "nvfp4", "0.5.", 8192, 1024, {17, 131072, 1}, 10, kSglangGb200Nvfp4WideLongPrompts},
    {Engine::sglang, "H200", "fp8", "0.5.", 1024, 1024, {256, 163840}, 10, kSglangH200},
    {Engine::sglang, "H200", "fp8", "0.5.", 1024, 1024, {512, 262144}, 10, kSglangH200WithRanks},
    {Engine::sglang, "H200", "fp8", "0.5.", 8192, 1024, {16, 32768}, 10, kSglangH200LongPrompts},
    {Engine::sglang, "H200", "fp8", "0.5.", 8192, 1024, {16, 163840}, 10, kSglangH200LongPromptsWithRanks},
};
// clang-format on

bool is_of(const Family& family, const Case& measured, Engine engine, const GpuSpec& gpu) {
  const CaseDeployment& d = measured.deployment;
  return family.engine == engine && family.gpu == gpu.name &&
         (family.weights.empty() || family.weights == d.weight_dtype) &&
         d.engine_version.starts_with(family.version) &&
         (family.prompt == 0 || family.prompt == measured.workload.input.most) &&
         family.answer == measured.workload.output.most;
}

// A list of concurrencies has one recipe, whose places are chosen for the largest of them.
std::optional<std::int64_t> places_in(const Family& family, const CaseSplit& split,
                                      std::int64_t concurrency) {
  const Recipe* found = nullptr;
  for (const Recipe& one : family.recipes) {
    const CaseLayout& layout = split.decode.layout;
    const bool fits = one.prefills == split.prefill.workers &&
                      one.decodes == split.decode.workers && one.gpus == layout.tp * layout.dp &&
                      one.ranks == layout.dp && one.concurrency >= concurrency;
    if (fits && (found == nullptr || one.concurrency < found->concurrency)) found = &one;
  }
  return found == nullptr ? std::nullopt : std::optional(found->places);
}

void share_among_ranks(std::int64_t stated, PromptLimits* limits) {
  const std::int64_t ranks = limits->ranks > 0 ? limits->ranks : stated;
  limits->max_num_seqs = std::max<std::int64_t>(limits->max_num_seqs / ranks, 1);
  limits->max_num_batched_tokens /= ranks;
}

constexpr const char* kPrefill = "deployment.prefill";
constexpr const char* kDecode = "deployment.decode";

CaseAssumption said_by_recipe(const char* key, const std::string& what) {
  return {key, what + ", as in the recipe of its publisher"};
}

void set_ranks(std::int64_t ranks, const char* key, CaseLayout* layout,
               std::vector<CaseAssumption>* assumptions) {
  if (ranks == 0 || ranks == layout->dp) return;
  layout->tp = layout->tp * layout->dp / ranks;
  layout->dp = ranks;
  add_once(assumptions, said_by_recipe(key, counted(ranks, "data-parallel rank")));
}

}  // namespace

std::optional<PublishedSplit> published_split(const Case& measured, Engine engine,
                                              const GpuSpec& gpu, std::int64_t concurrency) {
  if (measured.source != "inferencex-silicon") return {};
  const CaseSplit& split = *measured.deployment.split;
  for (const Family& family : kFamilies) {
    if (!is_of(family, measured, engine, gpu)) continue;
    const auto point = std::ranges::find(measured.points, concurrency, &CasePoint::concurrency);
    if (point != measured.points.end() && point->measured_on < family.since) continue;
    const auto places = places_in(family, split, concurrency);
    if (!places) continue;
    PublishedSplit out{family.prompts, *places, family.gateways, family.decode_ranks,
                       engine == Engine::trtllm};
    if (engine == Engine::sglang) share_among_ranks(split.prefill.layout.dp, &out.prompts);
    return out;
  }
  return {};
}

CaseSplit as_run(const CaseSplit& stated, const std::optional<PublishedSplit>& recipe,
                 std::vector<CaseAssumption>* assumptions) {
  if (!recipe) return stated;
  CaseSplit out = stated;
  set_ranks(recipe->prompts.ranks, kPrefill, &out.prefill.layout, assumptions);
  set_ranks(recipe->decode_ranks, kDecode, &out.decode.layout, assumptions);
  CaseLayout& layout = out.prefill.layout;
  if (recipe->prompts.sliced_experts && layout.ep.value_or(1) > 1) {
    layout.ep = 1;
    layout.moe_tp = layout.tp * layout.dp;
    add_once(assumptions, said_by_recipe(kPrefill, "experts sliced"));
  }
  add_once(assumptions, said_by_recipe("deployment.max_num_seqs", "not stated: limits of workers"));
  if (recipe->gateways > 1) {
    add_once(assumptions,
             said_by_recipe("deployment.instances",
                            fmt::format("{} frontends, each of which goes round by itself",
                                        recipe->gateways)));
  }
  return out;
}

bool has_published_split(const Case& measured) {
  const auto engine = engine_of(measured.deployment.engine);
  const auto gpu = find_gpu(measured.deployment.gpu, SemanticsMode::vllm);
  return engine && gpu && std::ranges::all_of(measured.points, [&](const CasePoint& point) {
           return published_split(measured, *engine, *gpu, point.concurrency).has_value();
         });
}

}  // namespace plimsoll
