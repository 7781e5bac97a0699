// Two runs must not write one file: each would say that it did, and one would be wrong. A run holds
// the names of its outputs from before its work until its end; another one is refused. Held names
// are addresses of Unix sockets (unix(7), abstract ones): the system gives each to one process, and
// takes it back when that ends, however it ends; nothing is left on disk. Seen by processes of one
// machine and network namespace.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"

namespace plimsoll {

/// What the command of this thread holds while it lives. Without one, nothing is held.
class OutputLocks {
 public:
  OutputLocks();
  ~OutputLocks();
  OutputLocks(const OutputLocks&) = delete;
  OutputLocks& operator=(const OutputLocks&) = delete;

 private:
  friend bool hold_output(const std::filesystem::path& target);
  bool hold(const std::filesystem::path& target);

  OutputLocks* before_;
  std::map<std::string, int> held_;  ///< sockets by address
};

/// False: another run holds it. `target` is no link. The same command may hold it twice.
bool hold_output(const std::filesystem::path& target);

/// What is said then, of the name that the user gave.
tl::unexpected<Error> held_elsewhere(const std::string& path);

}  // namespace plimsoll
