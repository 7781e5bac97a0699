// Fits rows of catalog/kernels/*.yaml to tables of measured operators and prints them.
//
//   fit TABLES [--check] [--only KERNELS]             the published tables: all measured sets
//   fit PROFILE --gpu NAME                            gemm.csv and attention.csv of the profiler
//   fit PROFILE --tflops-bf16 N --memory-tb-s N       the same, of a GPU that is not listed
//
// To standard output the YAML, to standard error the errors of the shipped and the fitted rows.
// --check: exit status 1 if a row is not what is shipped.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/catalog.h"
#include "fit/borrowed_rows.h"
#include "fit/mean_rows.h"
#include "fit/report.h"
#include "fit/tables.h"

namespace plimsoll {
namespace {

// Where the section of a row ends, or last.
void add_to_section(Family row, std::vector<Family>* families) {
  const auto last = std::find_if(families->rbegin(), families->rend(),
                                 [&](const Family& other) { return other.section == row.section; });
  families->insert(last == families->rend() ? families->end() : last.base(), std::move(row));
}

// `measured`: the device itself at last, others before it.
void add_borrowed(std::vector<Device>* measured, std::vector<Family>* families, RowTally* tally) {
  Device& device = measured->back();
  const Device shipped = device;
  for (const BorrowedRow& row : borrowed_rows()) {
    if (row.kernels != device.kernels.sets.front().name) continue;
    const auto lender = std::find_if(measured->begin(), measured->end(), [&](const Device& other) {
      return other.kernels.sets.front().name == row.from;
    });
    Family family = borrow(row, &*lender, &device);
    const std::string how =
        fmt::format("{}'s {}{}", row.from, row.from_key,
                    row.own.empty() ? "" : fmt::format(" but {}", fmt::join(row.own, ", ")));
    report_row(family, how, shipped, device, tally);
    add_to_section(std::move(family), families);
  }
}

Result<void> fit_measured(const std::string& folder, const PublishedSet& set,
                          std::vector<Device>* measured, RowTally* tally) {
  auto gpu = find_gpu(set.gpu, SemanticsMode::vllm);
  if (!gpu) return pass_on(gpu);
  gpu->kernels = set.kernels;
  auto device = device_of(*gpu);
  if (!device) return pass_on(device);
  auto families = published_families(folder, set, &*device);
  if (!families) return pass_on(families);
  fmt::print(stderr, "\n{} ({})\n", set.kernels, set.gpu);
  fit_rows(*families, set.kernels, &*device, tally);
  measured->push_back(std::move(*device));
  add_borrowed(measured, &*families, tally);
  fmt::print("# {}, from {}\n", set.kernels, set.gpu);
  print_rows(*families, &measured->back());
  return {};
}

Result<void> make_default(std::vector<Device>* measured, RowTally* tally) {
  auto gpu = find_gpu("H100", SemanticsMode::vllm);
  if (!gpu) return pass_on(gpu);
  gpu->kernels = "";
  auto device = device_of(*gpu);
  if (!device) return pass_on(device);
  const std::vector<Family> families = default_families(&*device);
  const Device shipped = *device;
  fmt::print(stderr, "\ndefault\n");
  for (const Family& family : families) {
    put_mean(family, measured, &*device);
    report_row(family, "the mean of those that have one", shipped, *device, tally);
  }
  fmt::print("# default\n");
  print_rows(families, &*device);
  return {};
}

Result<RowTally> fit_published(const std::string& folder, const std::string& only) {
  std::vector<Device> measured;
  RowTally tally;
  for (const PublishedSet& set : published_sets()) {
    if (!only.empty() && set.kernels != only) continue;
    auto fitted = fit_measured(folder, set, &measured, &tally);
    if (!fitted) return pass_on(fitted);
  }
  if (!only.empty()) return tally;
  std::erase_if(measured, [](const Device& device) {
    return std::none_of(published_sets().begin(), published_sets().end(), [&](const auto& set) {
      return set.in_mean && set.kernels == device.kernels.sets.front().name;
    });
  });
  if (auto made = make_default(&measured, &tally); !made) return pass_on(made);
  fmt::print(stderr, "\n{} rows are what is shipped, {} differ; kept by hand: {}\n",
             tally.as_shipped, tally.differing, fmt::join(tally.kept, ", "));
  return tally;
}

Result<RowTally> fit_profile(const std::string& folder, const GpuSpec& gpu) {
  auto device = device_of(gpu);
  if (!device) return pass_on(device);
  auto families = profiled_families(folder, &*device);
  if (!families) return pass_on(families);
  RowTally tally;
  fit_rows(*families, "", &*device, &tally);
  fmt::print("source: \"python -m plimsoll.profile on {}\"\n", gpu.name);
  fmt::print("otherwise: [hopper, ada]  # for what is not said here\n");
  print_rows(*families, &*device);
  return tally;
}

struct Arguments {
  std::string folder;
  bool check = false;
  std::string only;  // of the published sets; empty = all
  std::string gpu;
  double tflops_bf16 = 0;
  double memory_tb_s = 0;

  bool of_profile() const { return !gpu.empty() || tflops_bf16 > 0; }
};

Result<Arguments> read_arguments(const std::vector<std::string>& words) {
  constexpr const char* kUsage =
      "fit TABLES [--check] [--only KERNELS], fit PROFILE --gpu NAME, or fit PROFILE --tflops-bf16 "
      "N "
      "--memory-tb-s N";
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--") && out.folder.empty()) {
      out.folder = words[i];
      continue;
    }
    if (words[i] == "--check") {
      out.check = true;
      continue;
    }
    if (i + 1 == words.size()) {
      return fail(ErrorKind::usage, "\"" + words[i] + "\" is not understood", kUsage);
    }
    const std::string& value = words[++i];
    double number = 0;
    const bool positive = parse_double(value, &number) && number > 0;
    if (words[i - 1] == "--only") {
      out.only = value;
    } else if (words[i - 1] == "--gpu") {
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
  if (out.check && out.of_profile()) {
    return fail(ErrorKind::usage, "--check is of the published tables, not of a profile", kUsage);
  }
  return out;
}

Result<RowTally> run(const Arguments& arguments) {
  if (!arguments.of_profile()) return fit_published(arguments.folder, arguments.only);
  if (arguments.tflops_bf16 > 0) {
    GpuSpec gpu;
    gpu.name = arguments.gpu.empty() ? "this GPU" : arguments.gpu;
    gpu.tflops_bf16 = arguments.tflops_bf16;
    gpu.memory_bandwidth_tb_s = arguments.memory_tb_s;
    return fit_profile(arguments.folder, gpu);
  }
  auto gpu = find_gpu(arguments.gpu, SemanticsMode::vllm);
  if (!gpu) return pass_on(gpu);
  return fit_profile(arguments.folder, *gpu);
}

// The exit status.
int fit_and_report(const std::vector<std::string>& words) {
  constexpr int kDiffers = 1;
  constexpr int kFailed = 2;
  auto arguments = read_arguments(words);
  auto tally = arguments ? run(*arguments) : pass_on(arguments);
  if (!tally) {
    fmt::print(stderr, "{}\n", format(tally.error()));
    return kFailed;
  }
  return arguments->check && tally->differing > 0 ? kDiffers : 0;
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) { return plimsoll::fit_and_report({argv + 1, argv + argc}); }
