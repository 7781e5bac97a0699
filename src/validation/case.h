// One measured run of a real engine: what was deployed, what arrived, and what was measured. Read
// from a case folder (docs/reference/measurements.md, "Cases"). Plain data; a fact that the case
// does not state is absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/deployment.h"
#include "workload/workload.h"

namespace plimsoll {

enum class CaseKind { trace, stages, closed_loop, closed_loop_pd, closed_loop_sessions };

std::string_view name_of(CaseKind kind);

/// Has points, each with a fixed number of requests at a time.
inline bool is_closed_loop(CaseKind kind) {
  return kind == CaseKind::closed_loop || kind == CaseKind::closed_loop_pd ||
         kind == CaseKind::closed_loop_sessions;
}

/// How an engine spreads the model over its GPUs.
struct CaseLayout {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::optional<std::int64_t> ep;      ///< GPUs with different experts
  std::optional<std::int64_t> moe_tp;  ///< GPUs that slice each expert; the product is all of them
};

/// Engines for one part of each request, all alike.
struct CaseWorkers {
  std::int64_t workers = 1;
  CaseLayout layout;
};

/// Prompts are computed by the ones and answered by the others.
struct CaseSplit {
  CaseWorkers prefill;
  CaseWorkers decode;
};

struct CaseDeployment {
  std::string model;
  std::string gpu;
  std::int64_t instances = 1;
  CaseLayout layout;
  std::optional<CaseSplit> split;   ///< in place of instances and layout
  std::string weight_dtype;         ///< fp16, bf16, fp8, fp8-block, nvfp4, mxfp4, int4; or empty
  std::string expert_weight_dtype;  ///< of routed experts; empty = as the rest
  std::string kv_dtype;             ///< empty = as the checkpoint asks for
  std::string engine;
  std::string engine_version;
  std::optional<std::int64_t> max_num_seqs;  ///< limits of one data-parallel rank
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<std::int64_t> max_model_len;
  std::optional<std::int64_t> scheduler_recv_interval;  ///< of SGLang, in decode steps
  std::optional<std::int64_t> kv_blocks;
  std::int64_t block_size = 16;  ///< tokens
  std::optional<double> gpu_memory_utilization;
  bool prefix_caching = true;
  bool chunked_prefill = true;
  bool async_scheduling = true;
  bool cpu_kv_offload = false;
  std::vector<ScorerWeight> scorers;  ///< of the router; none: requests go round
};

/// An assumption that a simulation made in place of what its case says, or leaves open.
struct CaseAssumption {
  std::string key;  ///< "deployment.kv_dtype"
  std::string text;
  bool operator==(const CaseAssumption&) const = default;
};

/// Poisson arrivals for a while; in a trace the rows that arrived in that while.
struct CaseStage {
  double rate_rps = 0;
  double duration_s = 0;  ///< 0 = not published
  std::int64_t first_request = 0;
  std::int64_t num_requests = 0;
};

/// `groups` x `prompts_per_group` prompts that are sent in a cycle; those of a group begin alike.
struct SharedPrompts {
  std::int64_t groups = 0;
  std::int64_t prompts_per_group = 0;
  std::int64_t system_tokens = 0;
};

/// Lengths between two bounds, both included: all alike, or normally distributed and cut there.
struct LengthRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
  double mean = 0;  ///< counts where there is a standard deviation
  double stdev = 0;
};

/// Conversations: each prompt begins with all that was said before. The first one of each begins
/// with one of `prefixes_per_concurrency` x concurrency texts.
struct CaseSessions {
  std::int64_t turns = 1;
  std::int64_t prefix_tokens = 0;
  std::int64_t prefixes_per_concurrency = 1;
};

/// The measurements of one request of a trace; 0 = nothing.
struct CaseRow {
  double ttft_ms = 0;
  double tpot_ms = 0;
  double e2e_ms = 0;
};

struct CaseWorkload {
  std::vector<CaseStage> stages;
  double pause_between_stages_s = 0;
  LengthRange input;
  LengthRange output;
  std::optional<SharedPrompts> shared_prompts;
  std::optional<CaseSessions> sessions;
  Workload requests;          ///< of a trace
  std::vector<CaseRow> rows;  ///< of its requests; empty where there are no such columns
  std::optional<std::int64_t> requests_per_concurrency;
  std::optional<std::int64_t> longest_output;  ///< tokens at which answers are cut at the latest
  std::string sampling;                        ///< greedy, top_p, or empty = the model's default
};

/// One concurrency of a closed loop.
struct CasePoint {
  std::int64_t concurrency = 0;
  std::optional<std::int64_t> num_requests;
  bool excluded = false;
  // The lengths that its requests really had, on the average.
  std::optional<double> mean_input_tokens;
  std::optional<double> mean_output_tokens;
  /// How many of its prompts are in the prefix cache from a run before: none, all, or nobody knows
  /// how many.
  enum class Cached : std::uint8_t { cold, warm, unknown };
  Cached cached = Cached::cold;
  std::string measured_on;  ///< "2026-01-14", or empty
};

/// Completions between two moments.
struct CaseWindow {
  double from_s = 0;
  double to_s = 0;
};

struct Case {
  std::string name;
  CaseKind kind = CaseKind::trace;
  std::string source;
  CaseDeployment deployment;
  CaseWorkload workload;
  bool observed_by_client = true;
  std::vector<CasePoint> points;
  std::optional<CaseWindow> window;

  /// The figures by path: "ttft_ms.mean", "stages[1].e2e_ms.p99", "points[3].tpot_ms", "saturated"
  /// (0 or 1).
  std::map<std::string, double> measured;
  std::vector<std::string> scored;  ///< paths; "points[]." stands for every point
  bool low_confidence = false;
  /// The predictions of other programs, by their name.
  std::map<std::string, std::map<std::string, double>> published_predictions;
};

/// The rows of a case: what arrived, beside what was measured of it. Fills in `requests` and `rows`
/// from a CSV file, plain or compressed, in order of arrival. `block_size`: tokens of the blocks
/// that a column `block_hash_ids` names.
Result<void> read_case_requests(const std::string& path, std::int64_t block_size,
                                CaseWorkload* workload);

/// In the folder of a case.
inline constexpr const char* kCaseFile = "case.yaml";

// Reads a case folder: `case.yaml` and, where the measurements have rows per request, their file.

/// All errors of case.yaml at once; the first of the requests' file.
Result<Case> read_case(const std::string& folder);

/// `path` itself if it is a case folder, else the case folders in it, by name. An error if there
/// is none.
Result<std::vector<std::string>> find_cases(const std::string& path);

}  // namespace plimsoll
