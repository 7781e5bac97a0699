// Every client of ServeGen data as itself.
#include <algorithm>
#include <limits>

#include "workload/servegen.h"

namespace plimsoll {

ArrivalSpec usable_arrival(ArrivalProcess process, double shape, double cv) {
  const ArrivalSpec by_shape{process, 1, shape, 0};
  if (shape > 0 && validate(by_shape)) return by_shape;
  const ArrivalSpec by_cv{process, cv, 0, 0};
  return validate(by_cv) ? by_cv : ArrivalSpec{};
}

Result<WorkloadSpec> nothing_active(const std::string& when) {
  return fail(ErrorKind::spec, "no client of the ServeGen data is active " + when);
}

namespace {

bool in_period(const ServegenWindow& window, std::optional<ServegenPeriod> period) {
  if (!period) return true;
  const std::int64_t start = kServegenPeriodStart[static_cast<std::size_t>(*period)];
  return window.start_s >= start && window.start_s < start + kServegenPeriodLength;
}

ClientSpec client_with(const ServegenLengths& lengths, const std::string& id) {
  ClientSpec client;
  client.id = id;
  client.streaming = true;
  client.input = lengths.input;
  client.output = lengths.output;
  if (lengths.reason_percent) client.reasoning = ReasoningSpec{lengths.reason_percent, {}};
  return client;
}

// One client of the specification for each of its lengths: a window then needs none of its own.
void add_client(const ServegenClient& from, const ServegenOptions& options, std::int64_t start_s,
                WorkloadSpec* spec) {
  const ServegenLengths* current = nullptr;
  for (const ServegenWindow& window : from.windows) {
    if (window.rate_rps < kMinRate || !in_period(window, options.period)) continue;
    const ServegenLengths* lengths = from.lengths_at(window.start_s);
    if (lengths == nullptr) continue;
    if (lengths != current) {
      std::string id = "client-" + from.id;
      if (current != nullptr) id += "-from-" + std::to_string(lengths->start_s - start_s);
      spec->clients.push_back(client_with(*lengths, id));
      current = lengths;
    }
    const Time begin = Time{} + seconds(window.start_s - start_s);
    spec->clients.back().windows.push_back(
        {.begin = begin,
         .end = begin + seconds(ServegenWindow::kLength),
         .trace_rate = window.rate_rps,
         .arrival = usable_arrival(window.process, window.shape, window.cv),
         .input = {},
         .output = {}});
    spec->horizon = std::max(spec->horizon, begin + seconds(ServegenWindow::kLength));
  }
}

}  // namespace

Result<WorkloadSpec> servegen_clients(const ServegenData& data, const ServegenOptions& options) {
  std::int64_t start = kServegenPeriodStart[static_cast<std::size_t>(
      options.period.value_or(ServegenPeriod::midnight))];
  if (!options.period) {
    start = std::numeric_limits<std::int64_t>::max();
    for (const ServegenClient& client : data.clients) {
      for (const ServegenWindow& window : client.windows) start = std::min(start, window.start_s);
    }
  }
  WorkloadSpec spec;
  spec.category = data.is_reasoning() ? "reasoning" : "language";
  spec.horizon = Time{};
  for (const ServegenClient& client : data.clients) add_client(client, options, start, &spec);
  if (spec.clients.empty()) return nothing_active("then, with lengths that are known");
  return spec;
}

}  // namespace plimsoll
