#include "serve/answer_stream.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"

namespace plimsoll {

AnswerStream::AnswerStream(Work work, PieceOf piece_of, std::function<bool()> is_gone, bool draws)
    : is_gone_(std::move(is_gone)),
      worker_([this, work = std::move(work), piece_of = std::move(piece_of), draws] {
        const auto on_progress = [&](const Json& progress) {
          add(piece_of(progress), progress.find("charts") != nullptr ? &drawn_ : &progress_);
        };
        add(work({[this] { return dropped_.load(); }, on_progress, draws}), &last_);
      }) {}

AnswerStream::~AnswerStream() {
  dropped_ = true;
  worker_.join();
}

void AnswerStream::add(std::string piece, std::string* place) {
  const std::lock_guard lock(mutex_);
  *place = std::move(piece);
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
    for (std::string* piece : {&drawn_, &progress_}) {
      if (!piece->empty()) return std::exchange(*piece, "");
    }
    if (!last_.empty()) {
      all_taken_ = true;
      return last_;
    }
    changed_.wait_for(lock, kBetweenLooks);
  }
  return "\n";
}

std::string KeptPages::keep(std::string page) {
  std::random_device random;
  std::string path = kFolder;
  for (int i = 0; i < 4; ++i) path += fmt::format("{:08x}", std::uint32_t{random()});
  const std::lock_guard lock(one_at_a_time_);
  if (pages_.size() == kMost) pages_.pop_front();
  pages_.push_back({path, std::move(page)});
  return path;
}

std::optional<std::string> KeptPages::find(const std::string& path) const {
  const std::lock_guard lock(one_at_a_time_);
  const auto found = std::ranges::find(pages_, path, &Kept::path);
  if (found == pages_.end()) return std::nullopt;
  return found->page;
}

}  // namespace plimsoll
