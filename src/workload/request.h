// One request as the traffic presents it, and where requests come from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"

namespace plimsoll {

/// No request arrives later: sums with deadlines cannot overflow.
inline constexpr Time kEndOfClock{kNever.ns / 2};

/// How urgent a request is. `unset` is served like standard; tables by class keep the two apart.
enum class SloClass : std::uint8_t { unset, standard, critical, batch, sheddable, background };

/// A run of prompt tokens that other requests may share. Two prompts share their first tokens as
/// far as their segments agree in content from the start; a segment may be a prefix of a longer
/// one with the same content.
struct PrefixSegment {
  std::uint64_t content = 0;
  std::int64_t tokens = 0;
};

/// Where a request comes from and what it is about: for reports, recordings and policies. No engine
/// looks at it. Indices are into the source's Labels; -1 = none.
struct RequestTags {
  std::int32_t client = -1;
  std::int32_t tenant = -1;
  std::int32_t session = -1;
  std::int32_t round = 0;         ///< of the session, from 0
  std::int32_t image_tokens = 0;  ///< these are part of input_tokens
  std::int32_t audio_tokens = 0;
  std::int32_t video_tokens = 0;
  float reason_ratio = 0;  ///< share of the answer that is reasoning
  Duration think_time;     ///< of a follow-up: from the answer before to this request
};

struct Request {
  std::int64_t id = -1;  ///< the number in `request_<id>`; -1 = its place in the order of arrival
  Time arrival;
  Time deadline = kNever;              ///< absolute; the client gives up then
  std::int32_t input_tokens = 0;       ///< the whole prompt, shared prefix included
  std::int32_t output_tokens = 0;      ///< the true length of the answer, unknown to the engine
  std::int32_t max_output_tokens = 0;  ///< the client's budget; 0 = none
  SloClass slo_class = SloClass::unset;
  bool other_model = false;  ///< asks for a model that is not deployed: cannot be routed
  /// A later request may name this one's own_content in its prefix (the next turn of a session).
  bool reusable = false;
  bool awaited = false;  ///< the source wants to know when it leaves: RequestSource::follow_up()

  /// Leading shareable segments of the prompt, at most input_tokens in all; owned by the source,
  /// valid as long as the source lives. The rest of the prompt and the answer are `own_content`,
  /// which no other request has unless a test says so.
  std::span<const PrefixSegment> prefix;
  std::uint64_t own_content = 0;
  RequestTags tags;
};

/// A request that its instance is done with, as its client sees it.
struct Departure {
  std::uint32_t row = 0;  ///< its place in the order of arrival
  RequestTags tags;
  Time at;                            ///< not before anything that has happened by then
  bool awaited = false;               ///< as the request was
  bool completed = false;             ///< false: timed out, evicted, or refused as impossible
  std::int32_t generated_tokens = 0;  ///< of a completed one
};

/// The names behind the indices of RequestTags.
struct Labels {
  struct Client {
    std::string id;
    std::string prefix_group;
    std::string model;
    std::string adapter;
    bool streaming = false;
    Duration slo_target = {};  ///< for dispatch by deadline; zero = that of its class
  };
  std::vector<Client> clients;
  std::vector<std::string> tenants;
  std::vector<std::string> sessions;  ///< may be shorter than needed: others are "session_<index>"
};

/// A stream of requests in order of arrival (equal times in the order they are to be served).
/// Sources may be endless: the simulation pulls one request at a time, as its clock gets there.
/// In a closed loop, later requests depend on when earlier ones left: those are follow-ups.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// Fills `request` with the next one; false when there are no more.
  virtual bool next(Request* request) = 0;
  /// Passes over so many as if they had been taken; how many there were.
  virtual std::int64_t skip(std::int64_t requests) {
    Request passed;
    std::int64_t n = 0;
    while (n < requests && next(&passed)) ++n;
    return n;
  }

  /// True if follow_up() may ever give a request; then all instances are kept on one clock.
  virtual bool reacts() const { return false; }
  /// The least time from a departure to its follow-up: the longer, the faster the simulation.
  virtual Duration reaction_time() const { return {}; }
  /// Called once for each awaited request when it leaves, in order of that event. True if another
  /// request follows, with an arrival not before departure.at + reaction_time(); one at the very
  /// time of the event in which the request left is moved to a nanosecond later. At equal times
  /// follow-ups arrive after what next() gives, and in the order in which they were made.
  virtual bool follow_up(const Departure&, Request*) { return false; }

  /// The rounds of sessions that follow_up() left out because the source had come to its end.
  virtual std::int64_t rounds_left_out() const { return 0; }

  /// True where arrivals begin sessions without end, so that the first requests come slower.
  virtual bool begins_sessions() const { return false; }
  /// It also makes them: at another rate more or fewer of them begin, and each user thinks as long
  /// as before. Of all others ScaledSource moves each request.
  virtual bool paces_sessions() const { return false; }
  /// Before the first next(): sessions begin at `factor` times their moments. Only of a source that
  /// paces them.
  virtual void pace_sessions(double /*factor*/) {}

  /// Complete for all requests given out so far.
  virtual const Labels& labels() const {
    static const Labels none;
    return none;
  }
};

}  // namespace plimsoll
