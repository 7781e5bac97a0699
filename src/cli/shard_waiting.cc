#include "cli/shard_waiting.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// The last error that a worker printed, else its last line.
std::string last_words_in(const std::string& path) {
  const auto text = read_file(path);
  const std::string whole = text ? trimmed(*text) : std::string();
  const std::size_t error = whole.rfind("error: ");
  if (error == std::string::npos) return whole.substr(whole.rfind('\n') + 1);
  const std::size_t line = whole.rfind('\n', error) + 1;
  return trimmed(whole.substr(line, whole.find('\n', error) - line));
}

bool is_full(const RunFolder& folder) {
  constexpr std::uintmax_t kLeast = 64 << 10;  // bytes, less than a shard may write
  std::error_code error;
  const auto space = std::filesystem::space(folder.path(), error);
  return !error && space.available < kLeast;
}

tl::unexpected<Error> shards_failed(const RunFolder& folder, const Executor& executor) {
  const std::vector<std::int64_t> missing = folder.missing();
  const std::string messages = executor.messages_of(folder, missing.front());
  const std::string said = last_words_in(messages);
  const std::string end = executor.end_of(missing.front());
  std::string first;
  if (!said.empty()) {
    first = "; the first says: " + said;
  } else if (!end.empty()) {
    first = "; the first " + end + " and could not say why";
  }
  return fail(ErrorKind::io,
              fmt::format("{} of {} did not finish: {}{}", missing.size(),
                          counted(folder.question().shards, "shard"), ranges_of(missing), first),
              is_full(folder) ? "the disk of " + folder.path() +
                                    " is full: make room on it; --resume tries them again"
                              : "see " + messages + "; --resume tries them again");
}

}  // namespace

Result<Sharing> carry_out_shards(const RunFolder& folder, Executor* executor,
                                 const Waiting& waiting) {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  TRY(note, executor->submit(folder));
  if (!note.empty()) waiting.note(note);
  if (executor->is_elsewhere()) return Sharing::elsewhere;
  for (std::size_t missing = folder.missing().size(); missing > 0;
       missing = folder.missing().size()) {
    const bool leaves = !waiting.waits || !waiting.keep_going();
    if (leaves && !executor->note_on_leaving().empty()) waiting.note(executor->note_on_leaving());
    if (leaves) return waiting.waits ? Sharing::interrupted : Sharing::elsewhere;
    TRY(busy, executor->is_busy());
    if (const std::string news = executor->news(); !news.empty()) waiting.note(news);
    if (!busy && !folder.missing().empty()) return shards_failed(folder, *executor);
    waiting.show(missing);
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return Sharing::done;
}

}  // namespace plimsoll
