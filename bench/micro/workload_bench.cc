// What does it cost to make a request, and to read one from a trace?
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "workload/line_reader.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll::bench {
namespace {

constexpr std::int64_t kRows = 20'000;

void synthetic_requests(benchmark::State& state, ArrivalProcess process) {
  SyntheticSpec spec;
  spec.rate_rps = 200;
  spec.num_requests = kUnlimited;
  spec.arrival = {process, process == ArrivalProcess::poisson ? 1.0 : 2.0};
  SyntheticSource source(spec);
  Request request;
  for (auto _ : state) {
    source.next(&request);
    benchmark::DoNotOptimize(request);
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("ns/request");
}
BENCHMARK_CAPTURE(synthetic_requests, poisson, ArrivalProcess::poisson);
BENCHMARK_CAPTURE(synthetic_requests, gamma, ArrivalProcess::gamma);

void read_rows(benchmark::State& state, const std::string& text, TraceFormat format) {
  for (auto _ : state) {
    auto lines = LineReader::over(text, "trace");
    if (!lines) return state.SkipWithError("no lines");
    auto workload = read_trace(std::move(*lines), format);
    if (!workload) return state.SkipWithError(plimsoll::format(workload.error()).c_str());
    benchmark::DoNotOptimize(workload->size());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetLabel("ns/row");
}

void trace_rows_csv(benchmark::State& state) {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (std::int64_t i = 0; i < kRows; ++i) {
    text += fmt::format("{}.{:06},{},{}\n", i / 10, i % 10 * 99'991, 100 + i % 1999, 20 + i % 501);
  }
  read_rows(state, text, TraceFormat::csv);
}
BENCHMARK(trace_rows_csv);

// 24 block ids a row, as the Mooncake conversation trace has on average.
void trace_rows_mooncake(benchmark::State& state) {
  std::string text;
  for (std::int64_t i = 0; i < kRows; ++i) {
    text += fmt::format(R"({{"timestamp": {}, "input_length": 12200, "output_length": {}, )"
                        R"("hash_ids": [0)",
                        i * 300, 100 + i % 800);
    for (std::int64_t k = 1; k < 24; ++k) text += fmt::format(", {}", i * 24 + k);
    text += "]}\n";
  }
  read_rows(state, text, TraceFormat::mooncake);
}
BENCHMARK(trace_rows_mooncake);

}  // namespace
}  // namespace plimsoll::bench
