// The files that `plimsoll observe` leaves behind: PREFIX.csv and PREFIX.yaml (TraceV2),
// PREFIX.server.json, and with --record-itl PREFIX.itl.csv; PREFIX.partial.csv while it runs.
#pragma once

#include <span>
#include <string>

#include "base/file.h"
#include "base/replacement_file.h"
#include "base/result.h"
#include "cli/parse.h"
#include "metrics/goodput.h"
#include "net/observation.h"
#include "report/measured/observation.h"
#include "setup/traffic.h"

namespace plimsoll {

/// Before the load, what would spoil the files after it.
Result<void> check_observe_outputs(const Command& command);

/// Each answer as it comes, so that neither a kill nor a lost machine takes what was measured. It
/// begins with the columns of a trace in the format csv, and stays until the recording is whole. A
/// failure to write it stops nothing: the recording says whether it could be written.
inline constexpr std::string_view kSoFar = ".partial.csv";
class AnswersSoFar {
 public:
  explicit AnswersSoFar(const std::string& path);
  void add(const Request& request, const ObservedAnswer& answer);
  void remove();
  /// What stopped the recording from being written, with where its rows are.
  Result<void> left_by(const Result<void>& failure) const;

 private:
  void write(const std::string& text);

  std::string path_;
  File file_;
  bool is_whole_ = true;
};

/// The time of every chunk with tokens: request_id,chunk_index,timestamp_us, by request as they
/// end.
class TokenTimesFile {
 public:
  explicit TokenTimesFile(const std::string& path);
  void add(std::int64_t request_id, std::span<const Time> times);
  Result<void> finish() { return file_.finish(); }

 private:
  ReplacementFile file_;
};

/// The trace: it has the tokens that came, beside those asked for.
Result<void> write_observed_trace(const Options& options, const Traffic& traffic,
                                  const Observation& observation, const GoodputTargets& targets,
                                  const ServerRecord& server);

Result<void> write_server_file(const Options& options, const ServerRecord& server);

}  // namespace plimsoll
