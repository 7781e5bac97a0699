#include "serve/answer_stream.h"

#include <chrono>
#include <utility>

#include "base/json.h"

namespace plimsoll {

AnswerStream::AnswerStream(Work work, std::function<bool()> is_gone)
    : is_gone_(std::move(is_gone)), worker_([this, work = std::move(work)] {
        const Listener listener{[this] { return dropped_.load(); },
                                [this](const Json& progress) { add(progress.dump(), false); }};
        add(work(listener), true);
      }) {}

AnswerStream::~AnswerStream() {
  dropped_ = true;
  worker_.join();
}

void AnswerStream::add(const std::string& line, bool is_last) {
  const std::lock_guard lock(mutex_);
  (is_last ? last_ : progress_) = line + "\n";
  ended_ = ended_ || is_last;
  changed_.notify_all();
}

std::string AnswerStream::next() {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  constexpr int kQuietLooks = 40;
  std::unique_lock lock(mutex_);
  for (int look = 0; look < kQuietLooks; ++look) {
    if (all_taken_ || is_gone_()) {
      dropped_ = true;
      return {};
    }
    if (!progress_.empty()) return std::exchange(progress_, "");
    if (ended_) {
      all_taken_ = true;
      return last_;
    }
    changed_.wait_for(lock, kBetweenLooks);
  }
  return "\n";
}

}  // namespace plimsoll
