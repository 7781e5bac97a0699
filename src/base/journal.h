// What was worked out so far, on disk: one line for each unit of work (a test of a plan, a case of
// a validation), on the disk before the next one counts, so that neither Ctrl-C nor kill -9 nor a
// power cut loses it. Whoever goes on takes what stands there instead of working it out again, and
// ends with the same bytes. While one lives, nobody else can write its file (flock(2)). A line is a
// record (base/record.h) of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"

namespace plimsoll {

struct JournalEntry {
  std::string unit;  ///< its name among all that belong to the question
  Json result;
};

/// Ends in a newline.
std::string journal_line(const JournalEntry& entry);

/// From the text of a record. None: it is no result.
std::optional<JournalEntry> parse_journal_entry(std::string_view text);

/// The first line: what the journal is the answer to.
struct JournalHead {
  std::string digest;   ///< of everything that decides the answer
  std::string command;  ///< for people
  /// Tells what a line of it may hold; not written. Null: anything.
  bool (*is_result)(const Json& result) = nullptr;
};
std::string journal_line(const JournalHead& head);
std::optional<JournalHead> parse_journal_head(std::string_view text);

inline constexpr int kJournalVersion = 15;

/// Reads the version from the text of a record, or from a first line as versions 1 to 4 wrote it,
/// without a checksum; none: it begins no journal.
std::optional<int> journal_version(std::string_view text);

class Journal {
 public:
  /// A new one. Errors: a file of this name has something in it, or cannot be written, or another
  /// run writes it.
  static Result<Journal> create(const std::string& path, const JournalHead& head);
  /// One that was begun. A last line that was not written whole is cut off. Errors: no journal, one
  /// of another version or question, one that another run writes, damaged lines (each is named).
  static Result<Journal> resume(const std::string& path, const JournalHead& head);

  /// Knows from now on the results of another journal of the same question as well, which somebody
  /// may still write: what it ends with and was not written whole is left out. Returns the number
  /// of that line; 0: none. Errors: as resume() has them, and a unit that both have, and not alike.
  Result<int> take_over(const std::string& path, const JournalHead& head);
  /// The errors that take_over() would have of that file alone.
  static Result<void> check(const std::string& path, const JournalHead& head);
  /// The same, and writes those that are new to it, so that the other journal is needed no more.
  Result<void> absorb(const std::string& path, const JournalHead& head);

  /// The result of a unit that was there when it was opened or taken over; else none.
  std::optional<Json> find(const std::string& unit) const;
  /// May be called from any thread. After a failure it does nothing more.
  void add(const JournalEntry& entry);

  const std::string& path() const { return path_; }
  /// Results that find() has.
  std::size_t size() const { return known_.size(); }
  /// The number of the line that was cut off; 0: none.
  int cut_line() const { return cut_line_; }
  /// An io error if not everything could be written.
  Result<void> state() const;

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  static Result<void> check_head(const std::string& path, std::string_view text,
                                 const JournalHead& head);
  /// And locks it.
  Result<void> open(int flags);
  Result<void> begin(const JournalHead& head);
  /// Reads all whole lines but the first; `path` is whose they are. Returns the lines that were
  /// new.
  Result<std::string> read_lines(const std::string& path, std::string_view text,
                                 const JournalHead& head);
  struct Others {
    std::string fresh;  ///< lines that were new
    int cut_line = 0;
  };
  Result<Others> read_others(const std::string& path, const JournalHead& head);
  void append(const std::string& line);

  std::string path_;
  File file_;
  int error_ = 0;
  int cut_line_ = 0;
  std::map<std::string, std::string> known_;  ///< the text of the record by unit
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  ///< of whoever writes
};

}  // namespace plimsoll
