// Fits rows of catalog/kernels/*.yaml to tables of measured operators and prints them.
//
//   fit TABLES                                        the published tables: all measured sets
//   fit PROFILE --gpu NAME                            gemm.csv and attention.csv of the profiler
//   fit PROFILE --tflops-bf16 N --memory-tb-s N       the same, of a GPU that is not listed
//
// To standard output the YAML, to standard error the errors of the shipped and the fitted rows.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "catalog/catalog.h"
#include "fit/tables.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewObservations = 10;
constexpr double kNoFit = 0.25;  // of the median error

std::string number_text(double value) {
  std::string text = fmt::format("{:.4f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// {compute: 0.8228, row_padding: 0, ...}
std::string row_text(const Family& family, Device* device) {
  std::string text;
  for (const Parameter& p : family.parameters) {
    if (!p.shipped) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", p.name, number_text(p.of(*device)));
  }
  return "{" + text + "}";
}

// Families of a section stand together.
void print_rows(const std::vector<Family>& families, Device* device) {
  std::string section;
  std::string key;
  for (const Family& family : families) {
    if (family.section != section) fmt::print("{}:\n", family.section);
    if (family.part.empty()) {
      fmt::print("  {}: {}\n", family.key, row_text(family, device));
    } else {
      if (family.section != section || family.key != key) fmt::print("  {}:\n", family.key);
      fmt::print("    {}: {}\n", family.part, row_text(family, device));
    }
    section = family.section;
    key = family.key;
  }
}

void fit_all(const std::vector<Family>& families, Device* device) {
  fmt::print(stderr, "{:<42} {:>7}  {:>15}  {:>15}\n", "median (90 %) error in %", "rows", "before",
             "fitted");
  for (const Family& family : families) {
    const std::string name = fmt::format("{}/{}{}{}", family.section, family.key,
                                         family.part.empty() ? "" : " ", family.part);
    if (family.observations.size() < kFewObservations) {
      fmt::print(stderr, "{:<42} {:>7}  too few: kept as it was\n", name,
                 family.observations.size());
      continue;
    }
    const FamilyFit errors = fit(device, family);
    fmt::print(stderr, "{:<42} {:>7}  {:>6.1f} ({:>6.1f})  {:>6.1f} ({:>6.1f})\n", name,
               family.observations.size(), 100 * errors.before.median, 100 * errors.before.p90,
               100 * errors.after.median, 100 * errors.after.p90);
    if (errors.after.median > kNoFit) {
      fmt::print(stderr, "warning: {} does not fit: is the GPU's data sheet the right one?\n",
                 name);
    }
  }
}

Result<Device> device_of(const GpuSpec& gpu) {
  auto kernels = find_kernels(gpu.kernels);
  if (!kernels) return pass_on(kernels);
  auto overheads = read_step_overheads();
  if (!overheads) return pass_on(overheads);
  return Device{gpu, std::move(*kernels), *overheads};
}

Result<void> fit_published(const std::string& folder) {
  for (const MeasuredArchitecture& architecture : measured_architectures()) {
    auto gpu = find_gpu(architecture.gpu, SemanticsMode::vllm);
    if (!gpu) return pass_on(gpu);
    auto device = device_of(*gpu);
    if (!device) return pass_on(device);
    auto families = published_families(folder, architecture.kernels, &*device);
    if (!families) return pass_on(families);
    fmt::print(stderr, "\n{} ({})\n", architecture.kernels, architecture.gpu);
    fit_all(*families, &*device);
    fmt::print("# {}, from {}\n", architecture.kernels, architecture.gpu);
    print_rows(*families, &*device);
  }
  fmt::print(stderr,
             "\nkept, since whole runs decided it: decode_rereads, experts/mxfp4 of hopper, all of "
             "blackwell; default is the mean of the four\n");
  return {};
}

Result<void> fit_profile(const std::string& folder, const GpuSpec& gpu) {
  auto device = device_of(gpu);
  if (!device) return pass_on(device);
  auto families = profiled_families(folder, &*device);
  if (!families) return pass_on(families);
  fit_all(*families, &*device);
  fmt::print("source: \"python -m plimsoll.profile on {}\"\n", gpu.name);
  fmt::print("otherwise: [hopper, ada]  # for what is not said here\n");
  print_rows(*families, &*device);
  return {};
}

struct Arguments {
  std::string folder;
  std::string gpu;
  double tflops_bf16 = 0;
  double memory_tb_s = 0;
};

Result<Arguments> read_arguments(const std::vector<std::string>& words) {
  constexpr const char* kUsage =
      "fit TABLES, fit PROFILE --gpu NAME, or fit PROFILE --tflops-bf16 N --memory-tb-s N";
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--") && out.folder.empty()) {
      out.folder = words[i];
      continue;
    }
    if (i + 1 == words.size()) {
      return fail(ErrorKind::usage, "\"" + words[i] + "\" is not understood", kUsage);
    }
    const std::string& value = words[++i];
    double number = 0;
    const bool positive = parse_double(value, &number) && number > 0;
    if (words[i - 1] == "--gpu") {
      out.gpu = value;
    } else if (words[i - 1] == "--tflops-bf16" && positive) {
      out.tflops_bf16 = number;
    } else if (words[i - 1] == "--memory-tb-s" && positive) {
      out.memory_tb_s = number;
    } else {
      return fail(ErrorKind::usage, "\"" + words[i - 1] + " " + value + "\" is not understood",
                  kUsage);
    }
  }
  if (out.folder.empty()) return fail(ErrorKind::usage, "no folder of tables is given", kUsage);
  if ((out.tflops_bf16 > 0) != (out.memory_tb_s > 0)) {
    return fail(ErrorKind::usage, "--tflops-bf16 and --memory-tb-s go together", kUsage);
  }
  return out;
}

Result<void> run(const std::vector<std::string>& words) {
  auto arguments = read_arguments(words);
  if (!arguments) return pass_on(arguments);
  if (arguments->tflops_bf16 > 0) {
    GpuSpec gpu;
    gpu.name = arguments->gpu.empty() ? "this GPU" : arguments->gpu;
    gpu.tflops_bf16 = arguments->tflops_bf16;
    gpu.memory_bandwidth_tb_s = arguments->memory_tb_s;
    return fit_profile(arguments->folder, gpu);
  }
  if (arguments->gpu.empty()) return fit_published(arguments->folder);
  auto gpu = find_gpu(arguments->gpu, SemanticsMode::vllm);
  if (!gpu) return pass_on(gpu);
  return fit_profile(arguments->folder, *gpu);
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
  const auto done = plimsoll::run({argv + 1, argv + argc});
  if (done) return 0;
  fmt::print(stderr, "{}\n", plimsoll::format(done.error()));
  return 2;
}
