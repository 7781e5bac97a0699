// Traffic whose prompts begin with documents that others ask about, in conversations of several
// turns and in bursts, for tests of the planner.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "planner/load_probe.h"
#include "random/stream.h"

namespace plimsoll::test {

struct Documents {
  std::int64_t documents = 1;
  std::int64_t shared_tokens = 0;  ///< of each
  std::int64_t own_tokens = 100;   ///< of a question, at most
  std::int64_t answer_tokens = 4;  ///< at most
  std::int64_t turns = 1;          ///< each repeats those before
  std::int64_t at_once = 1;        ///< requests of the same moment
};

class DocumentSource final : public RequestSource {
 public:
  DocumentSource(const Documents& what, double rate_rps, std::int64_t requests)
      : what_(what), gap_s_(static_cast<double>(what.at_once) / rate_rps), requests_(requests) {}

  // The turns of a conversation follow each other, as many requests apart as there are others.
  bool next(Request* request) override {
    constexpr std::int64_t kOpen = 8;  // conversations
    if (made_ == requests_) return false;
    RandomStream draw(7, Purpose::arrival, static_cast<std::uint64_t>(made_));
    const std::int64_t block = made_ / (kOpen * what_.turns);
    const std::int64_t talk = block * kOpen + made_ % kOpen;
    const std::int64_t turn = made_ / kOpen % what_.turns;
    *request = {};
    request->id = made_;
    request->arrival =
        Time{} + duration_from_us(1e6 * gap_s_ * static_cast<double>(made_ / what_.at_once + 1));
    request->reusable = what_.turns > 1;
    request->own_content = 1'000'000 + static_cast<std::uint64_t>(made_);
    request->output_tokens = 1 + static_cast<std::int32_t>(
                                     draw.bits() % static_cast<std::uint64_t>(what_.answer_tokens));
    auto pieces = std::make_unique<std::vector<PrefixSegment>>();
    if (what_.shared_tokens > 0) {
      const std::uint64_t whose =
          RandomStream(8, Purpose::arrival, static_cast<std::uint64_t>(talk)).bits();
      pieces->push_back(
          {1 + whose % static_cast<std::uint64_t>(what_.documents), what_.shared_tokens});
    }
    for (std::int64_t i = turn; i > 0; --i) {
      pieces->push_back(
          {1'000'000 + static_cast<std::uint64_t>(made_ - i * kOpen), what_.own_tokens});
    }
    std::int64_t prompt =
        1 + static_cast<std::int64_t>(draw.bits() % static_cast<std::uint64_t>(what_.own_tokens));
    if (what_.turns > 1) prompt = what_.own_tokens;  // as the next turn repeats it
    for (const PrefixSegment& piece : *pieces) prompt += piece.tokens;
    request->input_tokens = static_cast<std::int32_t>(prompt);
    request->prefix = *pieces;
    kept_.push_back(std::move(pieces));
    ++made_;
    return true;
  }

 private:
  const Documents what_;
  const double gap_s_;
  const std::int64_t requests_;
  std::vector<std::unique_ptr<std::vector<PrefixSegment>>> kept_;
  std::int64_t made_ = 0;
};

inline LoadMaker documents(const Documents& what) {
  return [what](double rate_rps, std::int64_t requests) -> Result<Load> {
    Load load;
    load.source = std::make_unique<DocumentSource>(what, rate_rps, requests);
    return load;
  };
}

}  // namespace plimsoll::test
