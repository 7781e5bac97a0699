// The tests of a plan so far, on disk: one line for each test, on the disk before the next one
// ends, so that neither Ctrl-C nor kill -9 nor a power cut loses it. make_plan() takes what stands
// there instead of testing again, in the order in which it would have tested, and ends with the
// same plan. While one lives, nobody else can write its file (flock(2)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "planner/candidate_opening.h"
#include "planner/capacity.h"
#include "planner/journal_line.h"

namespace plimsoll {

class PlanJournal {
 public:
  /// A new one. Errors: a file of this name has something in it, or cannot be written, or another
  /// run writes it.
  static Result<PlanJournal> create(const std::string& path, const JournalHead& head);
  /// One that was begun. A last line that was not written whole is cut off. Errors: no journal, one
  /// of another version or question, one that another run writes, damaged lines (each is named).
  static Result<PlanJournal> resume(const std::string& path, const JournalHead& head);

  /// Knows from now on the tests of another journal of the same question as well, which somebody
  /// may still write: what it ends with and was not written whole is left out. Returns the number
  /// of that line; 0: none. Errors: as resume() has them, and a test that both have, and not alike.
  Result<int> take_over(const std::string& path, const JournalHead& head);
  /// The errors that take_over() would have of that file alone.
  static Result<void> check(const std::string& path, const JournalHead& head);
  /// The same, and writes those that are new to it, so that the other journal is needed no more.
  Result<void> absorb(const std::string& path, const JournalHead& head);

  /// The test of that candidate (its id) of that model (PlanRequest::place), if it was done; else
  /// null.
  const LoadProbe* find(std::int64_t model, std::int64_t candidate, const ProbeJob& job) const;
  /// Called by one thread at a time. After a failure it does nothing more.
  void add(JournalEntry entry);

  const std::string& path() const { return path_; }
  std::size_t tests() const { return known_.size(); }
  /// The number of the line that was cut off; 0: none.
  int cut_line() const { return cut_line_; }
  /// An io error if not everything could be written.
  Result<void> state() const;

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, double, double, std::int32_t, std::int64_t>;

  explicit PlanJournal(std::string path) : path_(std::move(path)) {}
  static Result<void> check_head(const std::string& path, std::string_view text,
                                 const JournalHead& head);
  /// And locks it.
  Result<void> open(int flags);
  Result<void> begin(const JournalHead& head);
  /// Reads all whole lines but the first; `path` is whose they are. Returns the lines that were
  /// new.
  Result<std::string> read_tests(const std::string& path, std::string_view text);
  struct Others {
    std::string fresh;  ///< lines that were new
    int cut_line = 0;
  };
  Result<Others> read_others(const std::string& path, const JournalHead& head);
  /// False: it has another of the same job.
  bool learn(JournalEntry entry);
  void append(const std::string& line);

  std::string path_;
  File file_;
  int error_ = 0;
  int cut_line_ = 0;
  std::map<Key, LoadProbe> known_;
};

// The frame that makes a line of a journal certain: its checksum and its length stand before it, so
// that a bit that flipped and a line that was cut are both seen. docs/reference/outputs.md
// describes the bytes.

/// "CHECKSUM LENGTH TEXT" and a newline; `text` has no newline. CHECKSUM is the CRC-32 of
/// "LENGTH TEXT" as eight hexadecimal digits, LENGTH the bytes of `text` as a decimal number.
std::string journal_record(std::string_view text);

/// The text of a line (without its newline) that is exactly what journal_record() made; else none.
std::optional<std::string_view> text_of_record(std::string_view line);

/// Begins as a record does, whatever its checksum says.
bool looks_like_record(std::string_view line);

/// The tests of a plan: how long each may take, and which of them the journal has already.
class PlanTests {
 public:
  /// `journal` may be null.
  PlanTests(const PlanRequest& request, const Execution& execution, PlanJournal* journal)
      : request_(request), execution_(execution), journal_(journal) {}

  /// The tag of a job is the index of its candidate.
  ProbeJob job(const OpenCandidate& open, double rate_rps, std::int64_t replicas) const;
  /// The same, as long as `capacity` tests such a fleet, so that both find the same; with all steps
  /// longer by a factor.
  ProbeJob settled_job(const OpenCandidate& open, double rate_rps, std::int64_t replicas,
                       double step_factor = 1) const;
  /// The test of one replica that serves each request alone.
  ProbeJob idle_job_of(const OpenCandidate& open) const;

  /// As run_probes(), but for what was asked before and what the journal has.
  Result<NumberedProbes> run(const std::vector<ProbeJob>& jobs);

  bool keep_going() const { return execution_.keep_going(); }
  std::int64_t count() const { return std::ssize(done_); }

 private:
  using Key = std::tuple<std::int64_t, double, double, std::int32_t, std::int64_t>;
  static Key key_of(const ProbeJob& job) {
    return {job.tag, job.step_factor, job.rate_rps, job.instances, job.draw};
  }

  const PlanRequest& request_;
  const Execution& execution_;
  PlanJournal* journal_;
  /// Done so far: what compares candidates asks for tests that the search had.
  std::map<Key, LoadProbe> done_;
};

}  // namespace plimsoll
