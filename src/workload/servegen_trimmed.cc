// The trimmed form of ServeGen data: two tables for all clients.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "workload/csv.h"
#include "workload/servegen.h"

namespace plimsoll {
namespace {

constexpr std::size_t kQuantiles = 101;

/// Clients by number.
using ClientTable = std::map<std::int64_t, ServegenClient>;

ServegenClient& client_at(ClientTable& clients, std::int64_t number) {
  ServegenClient& client = clients[number];
  client.id = std::to_string(number);
  return client;
}

Result<void> read_trimmed_windows(LineReader lines, ClientTable& clients) {
  enum Column : std::size_t { client, t_s, rate_rps, cv, arrival_dist, p1, p2 };
  static const CsvFormat format{
      {"client", "t_s", "rate_rps", "cv", "arrival_dist", "p1", "p2"}, {}, false};
  TRY(table, CsvTable::open(std::move(lines), format));
  constexpr double kMost = 1e12;
  for (;;) {
    TRY(more, table.next());
    if (!more) return {};
    ServegenClient& owner = client_at(clients, table.integer(client, 0, kMaxServegenSecond));
    ServegenWindow window{.start_s = table.integer(t_s, 0, kMaxServegenSecond),
                          .rate_rps = table.number(rate_rps, 0, kMaxRate),
                          .cv = table.number(cv, 0, kMost)};
    const auto process = servegen_process(table.text(arrival_dist));
    if (!process) {
      table.error(arrival_dist, "unknown arrival process",
                  suggestion(table.text(arrival_dist), names_of(arrival_processes())));
    }
    window.process = process.value_or(ArrivalProcess::poisson);
    window.shape = table.number(p1, 0, kMost);
    table.number(p2, 0, kMost);
    owner.windows.push_back(window);
  }
}

/// Equal weight to each hundredth of the distribution, at the middle of its two ends.
EmpiricalLength from_quantiles(const std::array<double, kQuantiles>& q, double scale) {
  std::map<std::int64_t, double> weights;
  for (std::size_t i = 0; i + 1 < kQuantiles; ++i) {
    weights[std::llround(scale * (q[i] + q[i + 1]) / 2)] += 1;
  }
  EmpiricalLength out;
  out.weights.assign(weights.begin(), weights.end());
  return out;
}

const CsvFormat& lengths_format() {
  static const CsvFormat format = [] {
    CsvFormat columns{{"client", "t_s", "field"}, {}, false};
    for (std::size_t i = 0; i < kQuantiles; ++i) {
      columns.required.push_back((i < 10 ? "q0" : "q") + std::to_string(i));
    }
    return columns;
  }();
  return format;
}

Result<void> read_trimmed_lengths(LineReader lines, ClientTable& clients) {
  enum Column : std::size_t { client, t_s, field, q00 };
  TRY(table, CsvTable::open(std::move(lines), lengths_format()));
  for (;;) {
    TRY(more, table.next());
    if (!more) return {};
    ServegenClient& owner = client_at(clients, table.integer(client, 0, kMaxServegenSecond));
    const std::int64_t start = table.integer(t_s, 0, kMaxServegenSecond);
    const std::string name(table.text(field));
    const bool ratio = name == "reason_ratio";
    if (!ratio && name != "input_tokens" && name != "output_tokens") {
      table.error(field, "unknown field \"" + name + "\"",
                  suggestion(name, {"input_tokens", "output_tokens", "reason_ratio"}));
    }
    std::array<double, kQuantiles> quantiles{};
    for (std::size_t i = 0; i < kQuantiles; ++i) {
      quantiles[i] = table.number(q00 + i, i == 0 ? 0 : quantiles[i - 1],
                                  ratio ? 1 : static_cast<double>(kMaxTokens));
    }
    auto at = std::find_if(owner.lengths.begin(), owner.lengths.end(),
                           [&](const ServegenLengths& l) { return l.start_s == start; });
    if (at == owner.lengths.end()) {
      at = owner.lengths.insert(at, ServegenLengths{start, {}, {}, {}});
    }
    const EmpiricalLength length = from_quantiles(quantiles, ratio ? 100 : 1);
    if (ratio) {
      at->reason_percent = length;
    } else {
      (name == "input_tokens" ? at->input : at->output) = length;
    }
  }
}

}  // namespace

Result<ServegenData> read_trimmed_servegen(LineReader windows, LineReader lengths_lines) {
  const std::string lengths_path = lengths_lines.file();
  ClientTable clients;
  TRY_TO(read_trimmed_windows(std::move(windows), clients));
  TRY_TO(read_trimmed_lengths(std::move(lengths_lines), clients));
  ServegenData data;
  std::int64_t with_lengths = 0;
  for (auto& [number, client] : clients) {
    for (const ServegenLengths& lengths : client.lengths) {
      if (!lengths.input.weights.empty() && !lengths.output.weights.empty()) continue;
      return fail_in(ErrorKind::spec, lengths_path,
                     "client " + client.id + " has no " +
                         (lengths.input.weights.empty() ? "input_tokens" : "output_tokens") +
                         " at second " + std::to_string(lengths.start_s));
    }
    with_lengths += client.lengths.empty() ? 0 : 1;
    data.clients.push_back(std::move(client));
  }
  if (with_lengths == 0) {
    return fail_in(ErrorKind::spec, lengths_path, "the file has no lengths");
  }
  return data;
}

}  // namespace plimsoll
