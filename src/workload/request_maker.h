// Makes the requests of one client, or of each member of a cohort: lengths, tags, class,
// deadline; and what the next prompt of a session begins with, its conversation so far. Who sends
// them when is decided elsewhere (rate_plan.h, clients_source.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "random/stream.h"
#include "workload/arrival_process.h"
#include "workload/length_distribution.h"
#include "workload/request.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// The content that a session's prompts share, in order.
struct SessionContext {
  PrefixSegment* segments = nullptr;
  std::size_t count = 0;
  std::size_t capacity = 0;
  std::int64_t tokens = 0;

  std::span<const PrefixSegment> prefix() const { return {segments, count}; }
};

/// Keeps the segments of all contexts: those once given to a request never move, as Request::prefix
/// demands.
class SessionContexts {
 public:
  void append(SessionContext* context, PrefixSegment segment);

  /// Adds a round: its new input and `answer_tokens` of its answer, both its own content.
  void append_round(SessionContext* context, const Request& request, std::int64_t answer_tokens);

 private:
  std::vector<std::unique_ptr<PrefixSegment[]>> arrays_;
};

/// One who sends: a client, or one member of a cohort.
struct Sender {
  std::uint64_t seed = 0;
  std::int32_t label = -1;  ///< into Labels::clients
  PrefixSegment prefix;     ///< in front of all prompts; 0 tokens = none
};

/// Immutable.
class RequestMaker {
 public:
  struct Settings {
    std::int32_t tenant = -1;        ///< into Labels::tenants
    Duration timeout = kNoDuration;  ///< from arrival to deadline; kNoDuration = none
    bool other_model = false;
  };

  RequestMaker(const ClientSpec& spec, const Settings& settings);

  /// Gaps between arrivals, by shape (RateStretch).
  const std::vector<UnitGaps>& gaps() const { return gaps_; }

  /// Request `round` of the sender's session `session`; a request on its own is round 0 of one. Its
  /// lengths are functions of (sender.seed, session, round). `shape` is that of the session's
  /// start. The prompt is `context_tokens` and the new input; id, prefix and own content are for
  /// the caller to fill in, session tags too.
  void make(const Sender& sender, std::int64_t session, std::int32_t round, std::size_t shape,
            std::int64_t context_tokens, Time arrival, Request* request) const;

  /// The index for RandomStream.
  static std::uint64_t draw_index(std::int64_t session, std::int32_t round) {
    return static_cast<std::uint64_t>(session) | static_cast<std::uint64_t>(round) << 40;
  }

 private:
  struct Modality {
    Modality(const ModalitySpec& spec) : tokens(spec.tokens), count(spec.count, 0) {}
    LengthSampler tokens;
    LengthSampler count;
  };
  static std::int32_t draw_items(const std::optional<Modality>& modality, RandomStream stream);
  std::int64_t draw_parts(const Sender& sender, std::uint64_t index, RequestTags* tags) const;

  std::vector<UnitGaps> gaps_;
  std::vector<LengthSampler> input_;   // by shape
  std::vector<LengthSampler> output_;  // by shape
  bool multimodal_ = false;
  std::optional<LengthSampler> text_;
  std::optional<Modality> image_;
  std::optional<Modality> audio_;
  std::optional<Modality> video_;
  std::optional<LengthSampler> reason_percent_;
  SloClass slo_class_;
  Settings settings_;
};

}  // namespace plimsoll
