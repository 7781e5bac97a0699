// The content of a workload specification: version 2 of the reference simulator's (BLIS) YAML as
// plain data. Filled by its reader or by conversions, turned into requests by clients_source.h.
// docs/reference/workloads.md explains every key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/arrival_process.h"
#include "workload/length_distribution.h"
#include "workload/request.h"
#include "workload/slo_class.h"

namespace plimsoll {

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
/// The length of a prefix group whose clients do not say it.
inline constexpr std::int64_t kDefaultPrefixTokens = 50;
inline constexpr std::int64_t kMaxPopulation = 100'000;
/// More than that no run can number; how many fit into memory is another matter.
inline constexpr std::int64_t kMostRequestsOfRun = 2'000'000'000;
/// The longest period of ServeGen cohorts, in seconds: how long they are active, and the pause
/// between two.
inline constexpr std::int64_t kLongestPeriodS = 31'000'000;

/// Between client and server; recorded in traces, without effect on latencies.
struct NetworkSpec {
  double rtt_ms = 0;
  double bandwidth_mbps = 0;
  friend bool operator==(const NetworkSpec&, const NetworkSpec&) = default;
};

/// A prompt has a drawn number of items of this kind (perhaps none), each of drawn length.
struct ModalitySpec {
  LengthDistribution tokens;  ///< of one item
  LengthDistribution count;   ///< of items
  friend bool operator==(const ModalitySpec&, const ModalitySpec&) = default;
};

/// The prompt is the sum of its parts and replaces the input distribution.
struct MultimodalSpec {
  std::optional<LengthDistribution> text;
  std::optional<ModalitySpec> image;
  std::optional<ModalitySpec> audio;
  std::optional<ModalitySpec> video;
  friend bool operator==(const MultimodalSpec&, const MultimodalSpec&) = default;
};

/// Each arrival begins a session of several rounds.
struct MultiTurnSpec {
  std::int64_t max_rounds = 1;
  Duration think_time;          ///< from an answer to the next round
  bool accumulate = false;      ///< a prompt begins with all earlier prompts and answers
  bool single_session = false;  ///< one session in all, not one per arrival
  friend bool operator==(const MultiTurnSpec&, const MultiTurnSpec&) = default;
};

struct ReasoningSpec {
  std::optional<LengthDistribution> reason_ratio;  ///< percent of the answer
  std::optional<MultiTurnSpec> multi_turn;
  friend bool operator==(const ReasoningSpec&, const ReasoningSpec&) = default;
};

/// An interval in which the client is active, [begin, end), and what is different in it.
struct WindowSpec {
  Time begin;
  Time end = kNever;
  std::optional<double> trace_rate;  ///< requests per second, or the weight beside other clients
  std::optional<ArrivalSpec> arrival;
  std::optional<LengthDistribution> input;
  std::optional<LengthDistribution> output;
  friend bool operator==(const WindowSpec&, const WindowSpec&) = default;
};

struct ClientSpec {
  std::string id;
  std::string part;  ///< of the workload, see PartSpec; empty = its main part
  std::string tenant;
  SloClass slo_class = SloClass::unset;
  std::string model;  ///< empty = the deployed one
  std::string adapter;

  double rate_fraction = 1;      ///< weight among those who share the aggregate rate
  std::int64_t concurrency = 0;  ///< users who each wait for their answer; 0 = arrivals by rate
  Duration think_time;           ///< of those users
  ArrivalSpec arrival;
  std::vector<WindowSpec> windows;  ///< no two overlap; none = always active

  LengthDistribution input = GaussianLength{};
  LengthDistribution output = GaussianLength{};
  std::string prefix_group;        ///< empty = nothing shared
  std::int64_t prefix_tokens = 0;  ///< the first client of a group decides; 0 = the default
  std::optional<MultimodalSpec> multimodal;
  std::optional<ReasoningSpec> reasoning;

  /// Each request's time from arrival to deadline. kNoDuration = waits for ever; absent = the
  /// default of closed loops (Semantics::default_timeout), none for others.
  std::optional<Duration> timeout;
  std::optional<Duration> slo_target;
  std::optional<bool> closed_loop;  ///< absent = if and only if it is multi-turn
  bool streaming = false;
  std::optional<NetworkSpec> network;

  const MultiTurnSpec* multi_turn() const {
    return reasoning && reasoning->multi_turn ? &*reasoning->multi_turn : nullptr;
  }
  /// Later requests wait for the answers to earlier ones.
  bool is_closed_loop() const {
    return concurrency > 0 || (multi_turn() != nullptr && closed_loop.value_or(true));
  }
  friend bool operator==(const ClientSpec&, const ClientSpec&) = default;
};

/// All length distributions of a client, wherever they stand.
std::vector<LengthDistribution*> lengths_of(ClientSpec* client);

/// Hour h of the day has (1 + cos(2 pi (h - peak_hour) / 24)) / 2, stretched to [1 / ratio, 1],
/// times the peak rate; every day.
struct DiurnalSpec {
  std::int64_t peak_hour = 0;
  double peak_to_trough_ratio = 1;
  friend bool operator==(const DiurnalSpec&, const DiurnalSpec&) = default;
};

/// A cohort with a spike and no diurnal or drain is active during the spike only.
struct SpikeSpec {
  Time begin;
  Duration duration;
  std::optional<double> trace_rate;  ///< of all members together; as in WindowSpec
  friend bool operator==(const SpikeSpec&, const SpikeSpec&) = default;
};

/// From `begin` on the rate falls in ten equal steps to zero.
struct DrainSpec {
  Time begin;
  Duration ramp;
  friend bool operator==(const DrainSpec&, const DrainSpec&) = default;
};

/// `population` alike clients <id>-0, <id>-1, ... that share the rate of `member`.
struct CohortSpec {
  ClientSpec member;  ///< without windows, concurrency and think time
  std::int64_t population = 1;
  bool prefix_per_member = false;  ///< each member has a prefix group of its own
  std::optional<DiurnalSpec> diurnal;
  std::optional<SpikeSpec> spike;
  std::optional<DrainSpec> drain;
  friend bool operator==(const CohortSpec&, const CohortSpec&) = default;
};

/// Clients that have nothing to do with the others: who is active among them shares a rate of their
/// own, up to a horizon of their own. The reference knows no such key. The main part's are those of
/// the whole.
struct PartSpec {
  std::string name;
  double aggregate_rate_rps = 0;  ///< 0: each window has its own rate
  Time horizon = kNever;          ///< that of the whole counts too
  friend bool operator==(const PartSpec&, const PartSpec&) = default;
};

/// Stands for the cohorts that a folder of ServeGen data describes.
struct ServegenSpec {
  std::string path;
  std::int64_t window_duration_s = 600;
  std::int64_t drain_timeout_s = 180;
  friend bool operator==(const ServegenSpec&, const ServegenSpec&) = default;
};

/// Stands for the clients that an inference-perf load and shared-prefix data set describe.
struct InferencePerfSpec {
  struct Stage {
    double rate_rps = 0;
    double duration_s = 0;
    friend bool operator==(const Stage&, const Stage&) = default;
  };
  std::vector<Stage> stages;
  std::int64_t unique_system_prompts = 1;
  std::int64_t users_per_system_prompt = 1;
  std::int64_t system_prompt_tokens = 0;
  std::int64_t question_tokens = 0;
  std::int64_t output_tokens = 0;
  bool multi_turn_chat = false;
  /// The arrivals of a configuration of inference-perf itself; the key of a specification means
  /// Poisson.
  ArrivalSpec arrival;
  std::vector<std::string> notes;  ///< what the reader did not use, for people
  friend bool operator==(const InferencePerfSpec&, const InferencePerfSpec&) = default;
};

/// The command line may override seed, num_requests and horizon.
struct WorkloadSpec {
  std::optional<std::uint64_t> seed;
  std::string category;           ///< empty, language, multimodal or reasoning: a remark
  double aggregate_rate_rps = 0;  ///< 0: each window has its own rate
  std::int64_t num_requests = kUnlimited;
  Time horizon = kNever;  ///< no request arrives later
  std::vector<PartSpec> parts;
  std::vector<ClientSpec> clients;
  std::vector<CohortSpec> cohorts;
  std::optional<ServegenSpec> servegen;
  std::optional<InferencePerfSpec> inference_perf;
  SloTargetsByClass goodput_slo_targets;

  std::vector<std::string> notes;  ///< what the reader changed, for people

  /// The part of this name, which must be there; none for the main part.
  const PartSpec* part(const std::string& name) const;
  /// By number: clients as they stand, then what those of each cohort have in common.
  const ClientSpec& client(std::size_t number) const {
    return number < clients.size() ? clients[number] : cohorts[number - clients.size()].member;
  }
  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

/// Its clients, and what those of each cohort have in common.
template <class Spec, class Visit>
void for_each_member(Spec& spec, Visit visit) {
  for (auto& client : spec.clients) visit(client);
  for (auto& cohort : spec.cohorts) visit(cohort.member);
}

/// Whether something holds of one of them.
template <class Holds>
bool any_member(const WorkloadSpec& spec, Holds holds) {
  return std::ranges::any_of(spec.clients, holds) ||
         std::ranges::any_of(spec.cohorts, holds, &CohortSpec::member);
}

/// The YAML that the reader reads back equal. `convert` and `compose` write it. What has its
/// default value is left out.
std::string workload_spec_yaml(const WorkloadSpec& spec);

/// Strict: all errors of a file at once, each with its place. Files with lengths are read, too, and
/// imports (servegen_data, inference_perf) become clients and cohorts; paths count from the folder
/// of the specification.
Result<WorkloadSpec> read_workload_spec(const std::string& path);

/// Without looking at any other file: empirical distributions from files have no weights yet, and
/// imports stand as they are.
Result<WorkloadSpec> parse_workload_spec(const std::string& text, const std::string& file);

/// Takes the lengths into a specification that was read: it names no file with them any more, and
/// says the same.
void inline_lengths(WorkloadSpec* spec);

/// The files that a specification names, and those in folders that it names, in an order of its
/// own; none if it cannot be read. For those who must know whether anything changed.
std::vector<std::string> files_named_by_workload_spec(const std::string& path);

/// The keys servegen_data and inference_perf of a workload specification stand for clients and
/// cohorts: this puts those in their place. `file` is the specification's own path, from whose
/// folder the path of data counts. What the specification says about seed, rate, number of requests
/// and horizon wins over the import.
Result<WorkloadSpec> expand_imports(WorkloadSpec spec, const std::string& file);

}  // namespace plimsoll
