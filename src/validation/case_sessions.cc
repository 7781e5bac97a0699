// Conversations, a fixed number at a time, at one level of concurrency after the other, on servers
// that keep their caches from level to level.
#include <algorithm>
#include <deque>
#include <vector>

#include "cluster/simulation.h"
#include "random/stream.h"
#include "validation/case_simulation.h"
#include "workload/request_maker.h"
#include "workload/workload.h"

namespace plimsoll {
namespace {

/// A conversation that has had its turns makes room for the next one.
class SessionLevels final : public RequestSource {
 public:
  SessionLevels(const Case& measured, std::uint64_t seed)
      : case_(measured), sessions_(*measured.workload.sessions), seed_(seed) {}

  /// Its conversations begin once the last request of the level before has left.
  void begin(const CasePoint& level) {
    input_ = input_of(case_, level);
    output_ = output_of(case_, level);
    first_text_ += texts_;  // those of another level are others
    texts_ = static_cast<std::uint64_t>(sessions_.prefixes_per_concurrency * level.concurrency);
    to_open_ = level.concurrency;
    last_ = made_ + requests_of(case_, level);
  }
  std::int64_t made() const { return made_; }

  bool next(Request* request) override {
    if (to_open_ == 0) return false;
    --to_open_;
    return open(begins_, request);
  }
  bool reacts() const override { return true; }

  bool follow_up(const Departure& departure, Request* request) override {
    begins_ = std::max(begins_, departure.at);
    Conversation& talk = conversations_[static_cast<std::size_t>(departure.tags.session)];
    const bool goes_on = departure.completed && departure.tags.round + 1 < sessions_.turns;
    if (!goes_on) return open(departure.at, request);
    contexts_.append_round(&talk.context, talk.last, departure.generated_tokens);
    return say(departure.tags.session, departure.tags.round + 1, departure.at, request);
  }

 private:
  struct Conversation {
    SessionContext context;
    Request last;
  };

  bool open(Time at, Request* request) {
    if (made_ == last_) return false;
    const auto number = static_cast<std::int32_t>(conversations_.size());
    Conversation& talk = conversations_.emplace_back();
    RandomStream stream(seed_, Purpose::prompt_prefix, static_cast<std::uint64_t>(number));
    const auto text =
        first_text_ + static_cast<std::uint64_t>(stream.uniform() * static_cast<double>(texts_));
    contexts_.append(&talk.context, {shared_content(text), sessions_.prefix_tokens});
    return say(number, 0, at, request);
  }

  bool say(std::int32_t session, std::int32_t round, Time at, Request* request) {
    if (made_ == last_) return false;
    Conversation& talk = conversations_[static_cast<std::size_t>(session)];
    *request = {};
    request->arrival = at;
    request->input_tokens = at_most_max(talk.context.tokens +
                                        draw_length(input_, Purpose::prompt_length, seed_, made_));
    request->output_tokens = draw_length(output_, Purpose::output_length, seed_, made_);
    request->prefix = talk.context.prefix();
    request->own_content = unique_content(static_cast<std::uint64_t>(made_));
    request->reusable = true;
    request->awaited = true;
    request->tags.session = session;
    request->tags.round = round;
    talk.last = *request;
    ++made_;
    return true;
  }

  const Case& case_;
  const CaseSessions sessions_;
  const std::uint64_t seed_;
  LengthRange input_;
  LengthRange output_;
  std::uint64_t first_text_ = 0;  ///< that conversations of this level may begin with
  std::uint64_t texts_ = 0;
  std::int64_t to_open_ = 0;
  std::int64_t made_ = 0;
  std::int64_t last_ = 0;  ///< of the requests of all levels up to this one
  Time begins_;            ///< when the last request so far has left
  std::deque<Conversation> conversations_;
  SessionContexts contexts_;
};

}  // namespace

CaseFigures simulate_sessions(const Case& measured, const CaseSetup& setup, std::uint64_t seed) {
  SessionLevels source(measured, seed);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < measured.points.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return measured.points[i].concurrency; });
  source.begin(measured.points[order.front()]);
  Simulation simulation(setup.deployment, source, {.semantics = setup.semantics, .seed = seed});
  std::vector<std::int64_t> ends;
  for (const std::size_t i : order) {
    if (!ends.empty()) {
      source.begin(measured.points[i]);
      simulation.resume();
    }
    simulation.advance();
    ends.push_back(source.made());
  }
  const RequestTable rows = simulation.take_record().requests;
  CaseFigures figures;
  std::int64_t first = 0;
  for (std::size_t level = 0; level < order.size(); ++level) {
    add_point_figures(measured, order[level], setup, rows, static_cast<std::size_t>(first),
                      static_cast<std::size_t>(ends[level] - first), &figures);
    first = ends[level];
  }
  return figures;
}

}  // namespace plimsoll
