// Runs the micro-benchmarks and prints one line `bench NAME VALUE UNIT` for each. VALUE is the CPU
// time per item, in the unit that the benchmark gives as its label ("ns/step"); of repetitions
// (--benchmark_repetitions) the fastest counts, for all that disturbs a run makes it slower.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

class LinePerBenchmark final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    double fastest = std::numeric_limits<double>::infinity();
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) {
        std::fprintf(stderr, "%s: %s\n", run.benchmark_name().c_str(), run.error_message.c_str());
        return;
      }
      fastest = std::min(fastest, 1e9 / run.counters.at("items_per_second").value);
    }
    if (fastest == std::numeric_limits<double>::infinity()) return;  // aggregates only
    std::printf("bench micro/%s %.4g %s\n", runs.front().run_name.function_name.c_str(), fastest,
                runs.front().report_label.c_str());
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  LinePerBenchmark reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
