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
#include "fit/mean_rows.h"
#include "fit/tables.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewObservations = 10;
constexpr double kNoFit = 0.25;  // of the median error
constexpr const char* kAsShipped = "as shipped";
constexpr const char* kDiffers = "differs from what is shipped";

// {compute: 0.8228, row_padding: 0, ...}
std::string row_text(const Family& family, Device* device) {
  std::string text;
  for (const Parameter& p : family.parameters) {
    if (!p.shipped) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", p.name, p.of(*device));
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

// What whole runs decided although the tables say something: printed as it is shipped.
struct KeptRow {
  std::string_view kernels;
  std::string_view row;
  std::string_view why;
};

constexpr KeptRow kKeptRows[]{
    {"ada", "gemm/bf16", "the tables cannot tell them apart, Llama-3.1-8B on L40S can"}};

const KeptRow* kept(std::string_view kernels, std::string_view row) {
  for (const KeptRow& one : kKeptRows) {
    if (one.kernels == kernels && one.row == row) return &one;
  }
  return nullptr;
}

std::vector<double> values_of(const Family& family, Device* device) {
  std::vector<double> values;
  for (const Parameter& p : family.parameters) values.push_back(p.of(*device));
  return values;
}

void fit_one(const Family& family, const std::string& kernels, Device* device) {
  const std::string name = fmt::format("{}/{}{}{}", family.section, family.key,
                                       family.part.empty() ? "" : " ", family.part);
  fmt::print(stderr, "{:<42} {:>7}  ", name, family.observations.size());
  if (family.observations.size() < kFewObservations) {
    fmt::print(stderr, "too few: kept as it was\n");
    return;
  }
  const std::vector<double> shipped = values_of(family, device);
  const FamilyFit result = fit(device, family);
  fmt::print(stderr, "{:>6.1f} ({:>6.1f})  {:>6.1f} ({:>6.1f})", 100 * result.before.median,
             100 * result.before.p90, 100 * result.after.median, 100 * result.after.p90);
  if (const KeptRow* row = kept(kernels, name); row != nullptr) {
    fmt::print(stderr, "  kept: {}", row->why);
    for (std::size_t i = 0; i < shipped.size(); ++i) family.parameters[i].of(*device) = shipped[i];
  } else if (!kernels.empty()) {
    fmt::print(stderr, "  {}", result.moved ? kDiffers : kAsShipped);
  }
  fmt::print(stderr, "\n");
  if (result.after.median > kNoFit) {
    fmt::print(stderr, "warning: {} does not fit: is the GPU's data sheet the right one?\n", name);
  }
}

// `kernels`: the shipped set that the rows are to be compared with; empty = none.
void fit_all(const std::vector<Family>& families, const std::string& kernels, Device* device) {
  fmt::print(stderr, "{:<42} {:>7}  {:>15}  {:>15}\n", "median (90 %) error in %", "rows", "before",
             "fitted");
  for (const Family& family : families) fit_one(family, kernels, device);
}

Result<Device> device_of(const GpuSpec& gpu) {
  auto kernels = find_kernels(gpu.kernels);
  if (!kernels) return pass_on(kernels);
  auto overheads = read_step_overheads();
  if (!overheads) return pass_on(overheads);
  return Device{gpu, std::move(*kernels), *overheads};
}

Result<void> print_default(std::vector<Device>* measured) {
  auto gpu = find_gpu("H100", SemanticsMode::vllm);
  if (!gpu) return pass_on(gpu);
  gpu->kernels = "";
  auto device = device_of(*gpu);
  if (!device) return pass_on(device);
  const std::vector<Family> families = default_families(&*device);
  fmt::print(stderr, "\ndefault (the mean of the four)\n");
  for (const Family& family : families) {
    const std::vector<double> shipped = values_of(family, &*device);
    put_mean(family, measured, &*device);
    fmt::print(stderr, "{:<42} {}\n", family.section + "/" + family.key,
               values_of(family, &*device) == shipped ? kAsShipped : kDiffers);
  }
  fmt::print("# default, the mean of the four\n");
  print_rows(families, &*device);
  return {};
}

Result<void> fit_published(const std::string& folder) {
  std::vector<Device> measured;
  for (const MeasuredArchitecture& architecture : measured_architectures()) {
    auto gpu = find_gpu(architecture.gpu, SemanticsMode::vllm);
    if (!gpu) return pass_on(gpu);
    auto device = device_of(*gpu);
    if (!device) return pass_on(device);
    auto families = published_families(folder, architecture.kernels, &*device);
    if (!families) return pass_on(families);
    fmt::print(stderr, "\n{} ({})\n", architecture.kernels, architecture.gpu);
    fit_all(*families, architecture.kernels, &*device);
    fmt::print("# {}, from {}\n", architecture.kernels, architecture.gpu);
    print_rows(*families, &*device);
    measured.push_back(std::move(*device));
  }
  if (auto printed = print_default(&measured); !printed) return printed;
  fmt::print(stderr,
             "\nfrom whole runs (make fit-runs): decode_rereads, experts/mxfp4 of hopper, what "
             "blackwell has of its own\n");
  return {};
}

Result<void> fit_profile(const std::string& folder, const GpuSpec& gpu) {
  auto device = device_of(gpu);
  if (!device) return pass_on(device);
  auto families = profiled_families(folder, &*device);
  if (!families) return pass_on(families);
  fit_all(*families, "", &*device);
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
