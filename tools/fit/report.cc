#include "fit/report.h"

#include <fmt/format.h>

#include <cstdio>

namespace plimsoll {
namespace {

constexpr std::size_t kFewObservations = 10;
constexpr double kNoFit = 0.25;  // of the median error

// What whole runs decided although the tables say something: printed as it is shipped.
struct KeptValues {
  std::string_view kernels;
  std::string_view row;
  std::string_view parameter;  // empty = all
  std::string_view why;
};

constexpr KeptValues kKeptValues[]{
    {"ada", "gemm/bf16", "", "the tables cannot tell them apart, Llama-3.1-8B on L40S can"},
    {"blackwell", "all_reduce/nvlink", "one_shot", "whole runs decided it (make fit-runs)"},
    {"blackwell", "all_reduce/nvlink", "two_shot", "whole runs decided it (make fit-runs)"},
    {"blackwell-sglang", "experts/fp8-blocks", "compute", "whole runs of DeepSeek-R1 decided it"},
    {"blackwell-sglang", "experts/nvfp4", "launch_us", "whole runs of DeepSeek-R1 decided it"},
    {"hopper-trtllm", "experts/fp8-blocks", "launch_us", "timed outside of CUDA graphs"},
    {"blackwell-trtllm", "experts/fp8-blocks", "launch_us", "timed outside of CUDA graphs"}};

// Back to what is shipped.
void keep(const KeptValues& values, const Family& family, Device shipped, Device* device,
          RowTally* tally) {
  for (const Parameter& p : family.parameters) {
    if (values.parameter.empty() || values.parameter == p.name) p.of(*device) = p.of(shipped);
  }
  fmt::print(stderr, "  kept{}{}: {};", values.parameter.empty() ? "" : " ", values.parameter,
             values.why);
  tally->kept.push_back(fmt::format("{} {}{}{}", values.kernels, values.row,
                                    values.parameter.empty() ? "" : " ", values.parameter));
}

std::string errors_text(const FitErrors& errors) {
  return fmt::format("{:>6.1f} ({:>6.1f})", 100 * errors.median, 100 * errors.p90);
}

// {compute: 0.827, row_padding: 0, ...}
std::string row_text(const Family& family, Device* device) {
  std::string text;
  for (const Parameter& p : family.parameters) {
    if (!p.shipped) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", p.name, p.of(*device));
  }
  return "{" + text + "}";
}

const char* compare(const Family& family, const Device& shipped, const Device& made,
                    RowTally* tally) {
  if (differ(family, shipped, made)) {
    tally->differing += 1;
    return "differs from what is shipped";
  }
  tally->as_shipped += 1;
  return "as shipped";
}

void fit_row(const Family& family, const std::string& kernels, Device* device, RowTally* tally) {
  const std::string name = row_name(family);
  fmt::print(stderr, "{:<42} {:>7}  ", name, family.observations.size());
  if (family.observations.size() < kFewObservations) {
    fmt::print(stderr, "too few: kept as it was\n");
    return;
  }
  Device shipped = *device;
  const FitErrors before = errors_of(shipped, family);
  const FitErrors after = fit(device, family);
  fmt::print(stderr, "{}  {}", errors_text(before), errors_text(after));
  for (const KeptValues& values : kKeptValues) {
    if (values.kernels == kernels && values.row == name) {
      keep(values, family, shipped, device, tally);
    }
  }
  if (!kernels.empty()) fmt::print(stderr, "  {}", compare(family, shipped, *device, tally));
  fmt::print(stderr, "\n");
  if (after.median > kNoFit) {
    fmt::print(stderr, "warning: {} does not fit: is the GPU's data sheet the right one?\n", name);
  }
}

}  // namespace

std::string row_name(const Family& family) {
  return fmt::format("{}/{}{}{}", family.section, family.key, family.part.empty() ? "" : " ",
                     family.part);
}

void fit_rows(const std::vector<Family>& families, const std::string& kernels, Device* device,
              RowTally* tally) {
  fmt::print(stderr, "{:<42} {:>7}  {:>15}  {:>15}\n", "median (90 %) error in %", "rows", "before",
             "fitted");
  for (const Family& family : families) fit_row(family, kernels, device, tally);
}

void report_row(const Family& family, std::string_view how, const Device& shipped,
                const Device& made, RowTally* tally) {
  fmt::print(stderr, "{:<42} {}: {}\n", row_name(family), how,
             compare(family, shipped, made, tally));
}

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

}  // namespace plimsoll
