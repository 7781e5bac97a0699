// ServeGen (Alibaba, 2025): measured behaviour of the clients of a model service, as data, and the
// workload specifications made from it. Two forms are read (docs/reference/conversions.md):
//   published  a folder of chunk-<id>-trace.csv and chunk-<id>-dataset.json, one pair per client
//   trimmed    <name>-clients.csv and <name>-lengths.csv, with 101 quantiles for each length
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/choice.h"
#include "base/result.h"
#include "workload/line_reader.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// Arrivals of a client in the ten minutes from `start_s` on.
struct ServegenWindow {
  static constexpr std::int64_t kLength = 600;
  std::int64_t start_s = 0;
  double rate_rps = 0;
  double cv = 1;
  ArrivalProcess process = ArrivalProcess::poisson;
  double shape = 0;  ///< of the process, as the publisher fitted it; 0 = not known
};

/// Lengths from `start_s` on, until the next one.
struct ServegenLengths {
  std::int64_t start_s = 0;
  EmpiricalLength input;
  EmpiricalLength output;
  std::optional<EmpiricalLength> reason_percent;
};

struct ServegenClient {
  std::string id;
  std::vector<ServegenWindow> windows;   ///< by start
  std::vector<ServegenLengths> lengths;  ///< by start; may be empty

  /// Those of a window: with the same start, else the latest before it; null if there are none.
  const ServegenLengths* lengths_at(std::int64_t start_s) const;
};

struct ServegenData {
  std::vector<ServegenClient> clients;  ///< by number
  bool is_reasoning() const;
};

/// `path`: the folder of the published form, or of the trimmed form the part of the two files'
/// names before "-clients.csv".
Result<ServegenData> read_servegen(const std::string& path);

/// Which part of the day; each is half an hour.
enum class ServegenPeriod { midnight, morning, afternoon };
Choices<ServegenPeriod> servegen_periods();

/// Cohorts of alike clients, or every client as itself.
enum class ServegenForm { cohorts, clients };
Choices<ServegenForm> servegen_forms();

struct ServegenOptions {
  std::optional<ServegenPeriod> period;  ///< absent: all
  std::int64_t window_duration_s = 600;  ///< cohorts only: how long a period lasts in the workload
  std::int64_t drain_timeout_s = 180;    ///< cohorts only: the pause between two periods
  std::uint64_t seed = 42;               ///< cohorts only: of the choice of windows and classes
};

/// Makes of the data what the reference makes: for each period one of its windows of ten minutes,
/// the clients active in it dealt out to the five SLO classes, and per class one cohort of alike
/// clients with the mean of their fits. Of reasoning data, the window with the most active clients.
Result<WorkloadSpec> servegen_cohorts(const ServegenData& data, const ServegenOptions& options);

/// Every client as itself, window by window, with the lengths as measured.
Result<WorkloadSpec> servegen_clients(const ServegenData& data, const ServegenOptions& options);

// The common part of both forms of a specification from ServeGen data: periods of the day, arrivals
// that our generators take.

/// The starts of the periods of the day, in seconds; each period has three windows.
inline constexpr std::array<std::int64_t, 3> kServegenPeriodStart{0, 28'800, 50'400};
inline constexpr std::int64_t kServegenPeriodLength = 3 * ServegenWindow::kLength;

/// The shape as the publisher fitted it where generators take it, else the spread within what they
/// take, else Poisson arrivals.
ArrivalSpec usable_arrival(ArrivalProcess process, double shape, double cv);

/// The error of data without a client that is active `when`.
Result<WorkloadSpec> nothing_active(const std::string& when);

// The files of ServeGen data one by one (servegen.h reads whole folders). All errors are spec
// errors with their place.

/// The seconds of a year: starts of windows lie within.
constexpr std::int64_t kMaxServegenSecond = 366 * 86'400;

/// Finds a process by the publisher's name of a pattern; none for a name that nobody knows.
std::optional<ArrivalProcess> servegen_process(std::string_view pattern);

/// chunk-<id>-trace.csv: start second, rate in requests per second, coefficient of variation of the
/// gaps, pattern (Gamma, Weibull or other), and perhaps shape and scale in seconds. A line of names
/// may come first.
Result<std::vector<ServegenWindow>> read_servegen_windows(LineReader lines);

/// chunk-<id>-dataset.json: from start second to input_tokens, output_tokens and perhaps
/// reason_ratio, each a text such as "{10: 0.25, 20: 0.75}", values with their probabilities.
Result<std::vector<ServegenLengths>> parse_servegen_dataset(const std::string& text,
                                                            const std::string& file);

/// The trimmed form: client,t_s,rate_rps,cv,arrival_dist,p1,p2 and client,t_s,field,q00,...,q100,
/// with input_tokens, output_tokens and perhaps reason_ratio as fields.
Result<ServegenData> read_trimmed_servegen(LineReader windows, LineReader lengths);

}  // namespace plimsoll
