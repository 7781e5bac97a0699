// Writes requests in the form that trace_v2.h reads, so that a replay sees the same requests to the
// nanosecond: lengths, budgets, deadlines, labels, and which prompts begin alike.
//
// The format has one shared prefix per request. Where that does not say it all (several segments,
// prefixes of several lengths, prompts that go on from an earlier request), a column of ours,
// prefix_path, does (docs/reference/traces.md); readers of the reference skip it and see the right
// lengths.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/units.h"
#include "workload/request.h"
#include "workload/trace_v2.h"

namespace plimsoll {

/// The end of a request. A replay looks at when a real one was sent and how long its
/// server found the prompt.
struct TraceV2Result {
  Duration sent;                         ///< from arrival
  std::int64_t server_input_tokens = 0;  ///< 0 = nobody counted
  Duration first_chunk = kNoDuration;    ///< from arrival; kNoDuration = none came
  Duration last_chunk = kNoDuration;
  std::int64_t chunks = 0;
  std::string_view status = "ok";  ///< ok, error, timeout or incomplete
  std::string_view error_message;
  std::string_view finish_reason = "";
};

/// The CSV text of requests in order of arrival. Ids must differ. Requests and labels must outlive
/// it.
class TraceV2Rows {
 public:
  TraceV2Rows(std::span<const Request> requests, const Labels& labels);

  std::string column_names() const;  ///< the first line
  void append(const Request& request, const TraceV2Result& result, std::string* out) const;

 private:
  struct SharedContent {
    std::uint64_t number = 0;  ///< in order of appearance
    std::int64_t tokens = 0;
    bool one_length = true;  ///< in all requests
    std::string name;        ///< of its prefix group
  };

  void note_prefix(const Request& request);
  void name_groups(std::span<const Request> requests);
  const SharedContent* group_of(const Request& request) const;
  std::string path_of(const Request& request) const;
  const Labels::Client& client_of(const Request& request) const;
  std::string session_name(const Request& request) const;

  const Labels& labels_;
  std::unordered_map<std::uint64_t, SharedContent> shared_;
  std::unordered_map<std::uint64_t, std::int64_t> reusable_;  ///< request ids by own content
  bool has_targets_ = false;
  bool has_adapters_ = false;
  bool has_think_times_ = false;
  bool has_budgets_ = false;  ///< other than the output length
  bool has_paths_ = false;
};

std::string trace_v2_header_text(const TraceV2Header& header);

/// Writes PREFIX.csv and PREFIX.yaml; each appears when it is whole. `result_of` gives what became
/// of the i-th request.
Result<void> write_trace_v2(const std::string& prefix, const TraceV2Header& header,
                            std::span<const Request> requests, const Labels& labels,
                            const std::function<TraceV2Result(std::size_t)>& result_of);

/// Checks before the run what would make that fail after it.
Result<void> check_trace_v2_prefix(const std::string& prefix);

}  // namespace plimsoll
