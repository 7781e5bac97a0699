// Who carries out the shards of an answer (cli/run_folder.h): processes of this machine, a job
// array of Slurm, an Indexed Job of Kubernetes. All start `plimsoll worker FOLDER SHARD`.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run_folder.h"

namespace plimsoll {

/// Their names, for flags.
std::vector<std::string> executors();

class Executor {
 public:
  virtual ~Executor() = default;
  /// Has the missing shards carried out, but for those that already are. Returns a note on what
  /// was done; empty: there is nothing to say.
  virtual Result<std::string> submit(const RunFolder& folder) = 0;
  /// Goes on with it. False: no more shards will be delivered than there are.
  virtual Result<bool> is_busy() = 0;
  /// The news since it was last asked; empty: none.
  virtual std::string news() { return {}; }
  /// There is nothing to wait for now: somebody else has to act.
  virtual bool is_elsewhere() const { return false; }
  /// The note for somebody who stops waiting; empty: everything stops with this program.
  virtual std::string note_on_leaving() const { return {}; }
  /// How the last worker of a shard ended, "ended with exit code 3"; empty: nobody knows.
  virtual std::string end_of(std::int64_t) const { return {}; }
  /// Where the messages of a shard that failed stand.
  virtual std::string messages_of(const RunFolder& folder, std::int64_t shard) const = 0;
};

struct ExecutorSpec {
  std::string name;
  std::size_t threads = 1;  ///< of the local one: so many processes at a time
  std::vector<std::string> sbatch_args;
  std::chrono::milliseconds between_looks{3000};  ///< at the queue of Slurm
};

/// An error where the program cannot start itself, as in its Python module.
Result<std::unique_ptr<Executor>> make_executor(const ExecutorSpec& spec);

}  // namespace plimsoll
